import type { KubeObject } from "../../../language/object/meta.ts";
import { contains, formatIp, masked, parseCidr, parseIp, width, type Cidr } from "../../../language/schema/ip.ts";
import { decodeObject } from "../storage/object-codec.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import { Pool } from "./pool.ts";

/** What a service holds exclusively: cluster IPs and node ports. */
export interface Held {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export interface ServicePoolsOptions {
  /** What a stored service holds. */
  readonly heldBy: (service: KubeObject) => Held;
  /** Default 10.96.0.0/16. */
  readonly network?: string;
  readonly random?: () => number;
}

/**
 * The addresses and node ports of services. What is taken is derived from the stored services alone, so that no second
 * record can disagree with them after a crash.
 */
export class ServicePools {
  readonly #store: ObjectStore;
  readonly #heldBy: ServicePoolsOptions["heldBy"];
  readonly #network: Cidr;
  readonly #addresses: Pool;
  readonly #ports: Pool;
  #held: Map<string, Held> | undefined;

  constructor(store: ObjectStore, { heldBy, network = "10.96.0.0/16", random = Math.random }: ServicePoolsOptions) {
    this.#store = store;
    this.#heldBy = heldBy;
    const cidr = parseCidr(network);
    if (!cidr) throw new Error(`serve services in ${network}: not a network`);
    this.#network = masked(cidr);
    const size = 2 ** (width(cidr.ip) - cidr.prefix);
    // Without the network address and the broadcast address.
    this.#addresses = new Pool(1, size - 2, band(size, 16, 256), random);
    this.#ports = new Pool(30000, 32767, band(2768, 32, 128), random);
  }

  /** Holds what the request takes until `end`, by when the stored service counts itself. */
  reserve(): Reservation {
    this.#follow();
    return new Reservation(this.#network, this.#addresses, this.#ports);
  }

  /** Follows the store from the first reservation on. */
  #follow(): void {
    if (this.#held) return;
    this.#held = new Map();
    for (const entry of this.#store.list("services")) this.#changed(entry.key, entry);
    this.#store.watch("services", (changes) => {
      for (const { key, after } of changes) this.#changed(key, after);
    });
  }

  #changed(key: string, entry: Entry | undefined): void {
    const held = this.#held as Map<string, Held>;
    const before = held.get(key);
    const after = entry && this.#heldBy(decodeObject(entry.bytes));
    for (const address of after?.addresses ?? []) this.#addresses.hold(placeOf(this.#network, address));
    for (const port of after?.ports ?? []) this.#ports.hold(port);
    for (const address of before?.addresses ?? []) this.#addresses.release(placeOf(this.#network, address));
    for (const port of before?.ports ?? []) this.#ports.release(port);
    if (after) held.set(key, after);
    else held.delete(key);
  }
}

/** What one request takes. `address` and `port` return why a specific one is not available. */
export class Reservation {
  readonly #network: Cidr;
  readonly #addresses: Pool;
  readonly #ports: Pool;
  readonly #taken: [Pool, number][] = [];

  constructor(network: Cidr, addresses: Pool, ports: Pool) {
    this.#network = network;
    this.#addresses = addresses;
    this.#ports = ports;
  }

  address(text: string): string | undefined {
    const ip = parseIp(text);
    const place = placeOf(this.#network, text);
    if (!ip || !contains(this.#network, ip) || !this.#addresses.contains(place))
      return "the provided network does not match the current range";
    return this.#take(this.#addresses, place) ? undefined : "provided IP is already allocated";
  }

  anyAddress(): string | undefined {
    const place = this.#any(this.#addresses);
    return place === undefined ? undefined : formatIp({ version: 4, bits: this.#network.ip.bits + BigInt(place) });
  }

  port(number: number): string | undefined {
    if (!this.#ports.contains(number))
      return `provided port is not in the valid range. The range of valid ports is ${this.#ports.first}-${this.#ports.last}`;
    return this.#take(this.#ports, number) ? undefined : "provided port is already allocated";
  }

  anyPort(): number | undefined {
    return this.#any(this.#ports);
  }

  end(): void {
    for (const [pool, number] of this.#taken.splice(0)) pool.release(number);
  }

  #any(pool: Pool): number | undefined {
    const number = pool.free();
    if (number !== undefined) this.#take(pool, number);
    return number;
  }

  #take(pool: Pool, number: number): boolean {
    if (pool.isHeld(number)) return false;
    pool.hold(number);
    this.#taken.push([pool, number]);
    return true;
  }
}

/** The offset of an address in the network; -1 if it is outside. */
function placeOf(network: Cidr, text: string): number {
  const ip = parseIp(text);
  return ip && contains(network, ip) ? Number(ip.bits - network.ip.bits) : -1;
}

/** As kube-apiserver: the size of the range reserved for explicit requests, at least 16. */
function band(size: number, share: number, most: number): number {
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / share)), most);
}

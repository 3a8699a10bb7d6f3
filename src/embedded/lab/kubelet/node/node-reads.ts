import { isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";

/** How long a read is cached: a kubelet updates mounted files about once a minute. */
const freshMs = 60_000;

/** The ConfigMaps and Secrets that a container uses, read as the kubelet of its node. */
export class NodeReads {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #known = new Map<string, { at: number; data: Promise<ReadonlyMap<string, string> | undefined> }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** `undefined` if the object does not exist. */
  async data(
    kind: "configMap" | "secret",
    namespace: string,
    name: string,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const key = `${kind}/${namespace}/${name}`;
    const known = this.#known.get(key);
    const now = this.#clock.monotonic();
    if (known && now - known.at < freshMs) return known.data;
    const fresh = { at: now, data: this.#read(kind, namespace, name) };
    this.#known.set(key, fresh);
    try {
      return await fresh.data;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }

  async #read(
    kind: "configMap" | "secret",
    namespace: string,
    name: string,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    try {
      if (kind === "secret") {
        const { data = {} } = await this.#client.get(kinds.secret, name, { namespace });
        return new Map(Object.entries(data).map(([key, value]) => [key, decoded(value)]));
      }
      const { data = {}, binaryData = {} } = await this.#client.get(kinds.configMap, name, { namespace });
      return new Map([
        ...Object.entries(data),
        ...Object.entries(binaryData).map(([key, value]): [string, string] => [key, decoded(value)]),
      ]);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

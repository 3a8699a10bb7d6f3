import { architectureOf, coresOf, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { loadCaches } from "../../language/cpu/load-caches.ts";
import { type FileSource, loadTopology } from "../../language/cpu/load-topology.ts";
import { formatTopology } from "../../language/cpu/topology-text.ts";
import type { Host } from "../host/host.ts";
import type { Hardware } from "../../domain/node-tuning/api.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";

/** Lists the CPUs that are online: while the list is the same, the hardware is not read again. */
const onlinePath = "/sys/devices/system/cpu/online";
const archPath = "/proc/sys/kernel/arch";
const pmuPath = "/sys/devices/cpu/caps/pmu_name";

/** The hardware of a node: read once, and again when CPUs go online or offline. */
export class NodeHardware {
  readonly #host: Host;
  readonly #log: Log;
  #found: { readonly online: string; readonly hardware: Hardware | undefined } | undefined;

  constructor(host: Host, log: Log) {
    this.#host = host;
    this.#log = log;
  }

  /** Undefined if it cannot be read: the node is tuned without it. */
  async read(): Promise<Hardware | undefined> {
    try {
      const online = (await this.#text(onlinePath)) ?? "";
      if (this.#found?.online !== online) this.#found = { online, hardware: await this.#load() };
      return this.#found.hardware;
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, "cannot read the hardware of the node");
      return undefined;
    }
  }

  async #load(): Promise<Hardware | undefined> {
    const files: FileSource = { read: (path) => this.#text(path), list: (path) => this.#host.list(path) };
    const topology = await loadTopology(files);
    if (onlineCpus(topology).length === 0) return undefined;
    const [machine, vendor, pmuName, caches] = await Promise.all([
      this.#machine(),
      this.#vendor(),
      this.#text(pmuPath),
      loadCaches(files, coresOf(topology)),
    ]);
    return {
      ...(machine ? { architecture: architectureOf(machine) } : {}),
      ...(vendor ? { vendor } : {}),
      ...(pmuName?.trim() ? { pmuName: pmuName.trim() } : {}),
      ...(caches.length > 0 ? { caches } : {}),
      ...formatTopology(topology),
    };
  }

  /** Kernels before 6.1 have no such file, only the program `uname`. */
  async #machine(): Promise<string | undefined> {
    const text = await this.#text(archPath);
    if (text !== undefined) return text.trim();
    const uname = await this.#host.run(["uname", "-m"]);
    return uname.type === "exited" && uname.code === 0 ? uname.stdout.trim() : undefined;
  }

  async #vendor(): Promise<string | undefined> {
    return /^vendor_id\s*:\s*(\S+)/m.exec((await this.#text("/proc/cpuinfo")) ?? "")?.[1];
  }

  async #text(path: string): Promise<string | undefined> {
    const file = await this.#host.read(path);
    return file.type === "text" ? file.text : undefined;
  }
}

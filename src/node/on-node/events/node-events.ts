import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { TokenBucket } from "../../../cluster/runtime/queue/rate-limit.ts";
import type { Host } from "../../host/host.ts";
import { DeviceWatch } from "./device-watch.ts";
import { FileWatch } from "./file-watch.ts";
import { type ProcessFilter, ProcessWatch } from "./process-watch.ts";

/** Where something happened on the node. It says where to look: the agent's own writes are among the paths. */
export interface Noticed {
  readonly paths: ReadonlySet<string>;
  /** A device appeared or went away. */
  readonly devices: boolean;
  /** Processes that started and match a rule of the profile. */
  readonly pids: ReadonlySet<number>;
}

export interface NodeEventsOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two lists of devices where the node does not announce them. Default 5 s. */
  readonly pollIntervalMs?: number | undefined;
  /** Called once for a burst of events. */
  readonly wake: () => void;
}

export interface Interest {
  /** Of settings in force. */
  readonly files: readonly string[];
  readonly processes: ProcessFilter | undefined;
}

/** Writes come in bursts: `sysctl --system` writes a hundred files. */
const burstMs = 100;
/** A process that writes all the time, or a device that comes and goes, must not keep the agent busy. */
const mostWakes = { perSecond: 0.5, burst: 5 };

/** What happens on a node while its profile is in force: writes to its files, devices and processes that appear. */
export class NodeEvents {
  readonly #options: NodeEventsOptions;
  readonly #files: FileWatch;
  readonly #devices: DeviceWatch;
  readonly #processes: ProcessWatch;
  readonly #wakes: TokenBucket;
  #paths = new Set<string>();
  #pids = new Set<number>();
  #devicesChanged = false;
  #cancelWake: (() => void) | undefined;

  constructor(options: NodeEventsOptions) {
    const { host, clock, log, pollIntervalMs = 5000 } = options;
    this.#options = options;
    this.#wakes = new TokenBucket(mostWakes, clock);
    this.#files = new FileWatch(host, (path) => this.#note(() => this.#paths.add(path)));
    const changed = (): void => this.#note(() => (this.#devicesChanged = true));
    this.#devices = new DeviceWatch({ host, clock, log, pollIntervalMs, changed });
    const started = (pids: readonly number[]): void => this.#note(() => pids.forEach((pid) => this.#pids.add(pid)));
    this.#processes = new ProcessWatch({ host, clock, started });
  }

  /** Until the signal aborts. */
  start(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#devices.start();
    const close = (): void => {
      this.#cancelWake?.();
      this.#devices.close();
      this.#processes.set(undefined);
      this.#files.close();
    };
    signal.addEventListener("abort", close, { once: true });
  }

  /** `renew`: devices appeared or went away, and folders with them. */
  async watch({ files, processes }: Interest, renew = false): Promise<void> {
    await this.#files.set(files, { renew });
    if (!renew) this.#processes.set(processes);
  }

  /** What was noticed since the last call. */
  take(): Noticed {
    const noticed = { paths: this.#paths, devices: this.#devicesChanged, pids: this.#pids };
    this.#paths = new Set();
    this.#pids = new Set();
    this.#devicesChanged = false;
    return noticed;
  }

  /** For a check that failed: it is done again. */
  giveBack({ paths, devices, pids }: Noticed): void {
    for (const path of paths) this.#paths.add(path);
    for (const pid of pids) this.#pids.add(pid);
    this.#devicesChanged ||= devices;
  }

  get hasNoticed(): boolean {
    return this.#devicesChanged || this.#paths.size > 0 || this.#pids.size > 0;
  }

  #note(change: () => void): void {
    change();
    this.#cancelWake ??= this.#options.clock.after(Math.max(burstMs, this.#wakes.reserve()), () => {
      this.#cancelWake = undefined;
      this.#options.wake();
    });
  }
}

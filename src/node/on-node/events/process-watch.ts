import type { Clock } from "../../../cluster/runtime/clock.ts";
import { readPids } from "../../engine/plugins/scheduler/tasks.ts";
import type { Host } from "../../host/host.ts";

export interface ProcessWatchOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly started: (pids: readonly number[]) => void;
}

/** Whether a process is to be tuned. */
export type ProcessFilter = (pid: number, host: Host) => Promise<boolean>;

const intervalMs = 2000;

/** Finds processes that start, by listing them: process events need a socket that Node.js cannot open. */
export class ProcessWatch {
  readonly #options: ProcessWatchOptions;
  #filter: ProcessFilter | undefined;
  #known: ReadonlySet<number> = new Set();
  /** Seen once: a process starts as a copy of its parent, with the parent's command line. */
  #young: ReadonlySet<number> = new Set();
  #cancel = (): void => {};

  constructor(options: ProcessWatchOptions) {
    this.#options = options;
  }

  /** Without a filter no process is listed. */
  set(filter: ProcessFilter | undefined): void {
    this.#cancel();
    this.#filter = filter;
    // Processes that started while the profile was applied are found by the first list.
    this.#known = new Set();
    this.#young = new Set();
    if (filter) this.#next(filter);
  }

  #next(filter: ProcessFilter): void {
    this.#cancel = this.#options.clock.after(intervalMs, () => void this.#poll(filter));
  }

  async #poll(filter: ProcessFilter): Promise<void> {
    const { host, started } = this.#options;
    const pids = await readPids(host);
    const fresh = pids.filter((pid) => !this.#known.has(pid));
    const matching: number[] = [];
    for (const pid of pids)
      if ((this.#young.has(pid) || !this.#known.has(pid)) && (await filter(pid, host))) matching.push(pid);
    if (this.#filter !== filter) return;
    this.#known = new Set(pids);
    this.#young = new Set(fresh.filter((pid) => !matching.includes(pid)));
    if (matching.length > 0) started(matching);
    this.#next(filter);
  }
}

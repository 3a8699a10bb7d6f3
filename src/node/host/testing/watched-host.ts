import type { Attributes, Link, MonitorEvents, Outcome } from "../host.ts";
import { MemoryHost } from "../memory-host.ts";

/**
 * A node in memory that reports changes as a real one does: a write by any process, the agent included, but not a change by
 * the kernel (`put`). `monitors` are the programs that report events; a test calls them.
 */
export class WatchedHost extends MemoryHost {
  readonly monitors = new Set<MonitorEvents>();
  readonly #watches = new Map<string, Set<(name: string) => void>>();
  /** Whether a program that reports events can be started. */
  canMonitor = true;
  writes = 0;
  /** What the kernel keeps of a value that is written. */
  keeps = (_path: string, text: string): string => text;

  override async write(path: string, text: string): Promise<Outcome> {
    this.writes++;
    return this.#reported(path, await super.write(path, this.keeps(path, text)));
  }

  override async replace(path: string, content: string | Uint8Array, as?: number | Attributes): Promise<Outcome> {
    return this.#reported(path, await super.replace(path, content, as));
  }

  override async placeLink(path: string, link: Link): Promise<Outcome> {
    return this.#reported(path, await super.placeLink(path, link));
  }

  override async remove(path: string): Promise<Outcome> {
    return this.#reported(path, await super.remove(path));
  }

  async watch(folder: string, changed: (name: string) => void): Promise<() => void> {
    const watches = this.#watches.get(folder) ?? new Set();
    this.#watches.set(folder, watches.add(changed));
    return () => watches.delete(changed);
  }

  monitor(_argv: readonly string[], on: MonitorEvents): () => void {
    if (!this.canMonitor) {
      queueMicrotask(() => on.ended("no such program"));
      return () => {};
    }
    this.monitors.add(on);
    return () => this.monitors.delete(on);
  }

  /** Folders with a watch. */
  get watched(): string[] {
    return [...this.#watches].flatMap(([folder, watches]) => (watches.size > 0 ? [folder] : []));
  }

  #reported(path: string, outcome: Outcome): Outcome {
    const slash = path.lastIndexOf("/");
    if (outcome.type === "done")
      for (const changed of this.#watches.get(path.slice(0, slash)) ?? []) changed(path.slice(slash + 1));
    return outcome;
  }
}

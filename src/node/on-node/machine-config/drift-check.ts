import type { Clock } from "../../../cluster/runtime/clock.ts";
import { type Origins, withOrigin } from "../../../domain/machine-config/origins.ts";
import type { ConfigWatch } from "./config-watch.ts";
import type { NodeUpdater } from "./node-updater.ts";

/** Between two comparisons where no write was noticed: what programs keep elsewhere, and folders that cannot be watched. */
export const driftCheckMs = 600_000;

export interface DriftCheckOptions {
  readonly updater: Pick<NodeUpdater, "drift" | "watchedPaths">;
  readonly watch: ConfigWatch | undefined;
  readonly clock: Clock;
  /** Which MachineConfigs a rendered config came from. */
  readonly originsOf: (config: string) => Promise<Origins>;
}

export interface Compared {
  /** Each with the place in the config, and the MachineConfig that it came from. */
  readonly drifted: readonly string[];
  /** What the node cannot have of its config. */
  readonly findings: readonly string[];
}

/** How the node differs from its config: compared after writes to its files and now and then, not with every heartbeat. */
export class DriftCheck {
  readonly #options: DriftCheckOptions;
  /** Until a comparison has ended: one that fails is done again. */
  #isDue = true;
  #last: (Compared & { readonly config: string; readonly at: number }) | undefined;

  constructor(options: DriftCheckOptions) {
    this.#options = options;
  }

  /** The next call compares. */
  renew(): void {
    this.#isDue = true;
  }

  async of(config: string): Promise<Compared> {
    const { updater, watch, clock, originsOf } = this.#options;
    const at = clock.monotonic();
    const before = this.#last?.config === config ? this.#last : undefined;
    this.#isDue ||= watch?.take() ?? false;
    if (before && !this.#isDue && at - before.at < driftCheckMs) return before;
    // Watched first: a write while the node is compared is noticed.
    await watch?.set(await updater.watchedPaths());
    const { problems, findings } = await updater.drift();
    const origins = problems.length > 0 ? await originsOf(config) : new Map<string, string[]>();
    const drifted = steady(
      problems.map((problem) => withOrigin(problem, origins)),
      before?.drifted ?? [],
    );
    this.#isDue = false;
    this.#last = { config, at, drifted, findings };
    return this.#last;
  }
}

/** What still differs keeps its text: a process that writes all the time must not change the report each time. */
function steady(now: readonly string[], before: readonly string[]): string[] {
  const known = new Map(before.map((text) => [withoutFound(text), text]));
  return now.map((text) => known.get(withoutFound(text)) ?? text);
}

function withoutFound(problem: string): string {
  return problem.replace(/: is .*, expected /s, ": expected ");
}

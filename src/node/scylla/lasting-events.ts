import { lastingReasons } from "../../domain/scylla/on-node/decide.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";

/**
 * Events about what lasts are recorded when it begins. Nothing of it is remembered outside of the process: an agent that ended before it
 * could tell is followed by one that tells.
 */
export class LastingEvents {
  #told: ReadonlySet<string> = new Set();

  /** Without what was told, and still is so. */
  news(events: readonly PlannedEvent[]): PlannedEvent[] {
    return events.filter((event) => !this.#told.has(keyOf(event)));
  }

  /** All events of a plan that was carried out. */
  told(events: readonly PlannedEvent[]): void {
    this.#told = new Set(events.filter(({ reason }) => lastingReasons.has(reason)).map(keyOf));
  }
}

function keyOf({ regarding: { metadata }, reason, message }: PlannedEvent): string {
  return JSON.stringify([metadata.uid, reason, message]);
}

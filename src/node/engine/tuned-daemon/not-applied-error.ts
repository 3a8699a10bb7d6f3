import type { Restored } from "../engine.ts";

/** TuneD did not apply the profile, and the node was rolled back. */
export class NotAppliedError extends Error {
  readonly reason: "OtherTuned" | "Refused" | "Died" | "Hung" | "Exited";
  /** What was rolled back. */
  readonly restored: readonly Restored[];

  constructor(reason: NotAppliedError["reason"], message: string, restored: readonly Restored[] = []) {
    super(`apply the profile with TuneD: ${message}`);
    this.name = "NotAppliedError";
    this.reason = reason;
    this.restored = restored;
  }
}

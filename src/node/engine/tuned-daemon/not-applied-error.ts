import type { Restored } from "../engine.ts";

/** Nothing of the profile is in force, and the node is as it was. */
export class NotAppliedError extends Error {
  readonly reason: "OtherTuned" | "Refused" | "Died" | "Hung" | "Exited";
  /** What had to be put back. */
  readonly restored: readonly Restored[];

  constructor(reason: NotAppliedError["reason"], message: string, restored: readonly Restored[] = []) {
    super(`apply the profile with TuneD: ${message}`);
    this.name = "NotAppliedError";
    this.reason = reason;
    this.restored = restored;
  }
}

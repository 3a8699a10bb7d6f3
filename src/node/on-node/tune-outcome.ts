import type { Repaired } from "../engine/drift.ts";
import type { ApplyReport } from "../engine/engine.ts";
import type { EngineChoice } from "../engine/tuned-daemon/choose-engine.ts";
import type { ProfileStatus } from "../../domain/node-tuning/api.ts";
import type { Problem } from "../../language/tuned/problem.ts";

/** What came of making a node be as its Profile says. */
export type TuneOutcome =
  | Applied
  /** The change waits for the next start of the node; what was there before is in force. */
  | { readonly type: "deferred"; readonly profile: string; readonly before: Applied | undefined }
  /** The profile makes no sense on this node. Nothing was changed. */
  | { readonly type: "invalid"; readonly problems: readonly Problem[] }
  /** Something that should work did not; it is tried again. */
  | { readonly type: "failed"; readonly message: string };

export interface Applied {
  readonly type: "applied";
  readonly report: ApplyReport;
  readonly warnings: readonly Problem[];
  /** Who applied it and why, where that was not asked for. */
  readonly engine?: EngineChoice;
  /** What the engine complains of since. */
  readonly troubles: readonly string[];
  /** What somebody else had changed when the node was last looked at; it was set back unless it says otherwise. */
  readonly drift: readonly Repaired[];
}

/** The part of a Profile's status that tells of the profile in force. */
export type InForce = Pick<ProfileStatus, "tunedProfile" | "bootcmdline" | "bootcmdlineInputs">;

export interface Tuning {
  readonly outcome: TuneOutcome;
  /** Nothing: nobody knows, and what was said before holds. */
  readonly inForce: InForce | undefined;
}

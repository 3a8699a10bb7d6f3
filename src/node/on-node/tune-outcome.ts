import type { Repaired } from "../engine/drift.ts";
import type { ApplyReport } from "../engine/engine.ts";
import type { EngineChoice } from "../engine/choose-engine.ts";
import type { ProfileStatus } from "../../domain/node-tuning/api.ts";
import type { Notice, Problem } from "../../language/tuned/problem.ts";

/** The result of applying a Profile to its node. */
export type TuneOutcome =
  | Applied
  /** The change waits for the next restart of the node; `before` is in force. */
  | { readonly type: "deferred"; readonly profile: string; readonly before: Applied | undefined }
  /** The profile is invalid on this node. Nothing was changed. */
  | { readonly type: "invalid"; readonly problems: readonly Problem[] }
  /** An unexpected error; the agent tries again. */
  | { readonly type: "failed"; readonly message: string };

export interface Applied {
  readonly type: "applied";
  readonly report: ApplyReport;
  readonly warnings: readonly Notice[];
  /** Which engine applied it and why; absent where the engine was configured. */
  readonly engine?: EngineChoice | undefined;
  /** What the engine reported since. */
  readonly troubles: readonly string[];
  /** What another process had changed at the last drift check; set back unless `failed` says otherwise. */
  readonly drift: readonly Repaired[];
}

/** The part of a Profile's status that describes the profile in force. */
export type InForce = Pick<
  ProfileStatus,
  "tunedProfile" | "bootcmdline" | "bootcmdlineInputs" | "bootcmdlinePending" | "answers"
>;

export interface Tuning {
  readonly outcome: TuneOutcome;
  /** Undefined: unknown, so the status keeps what was reported before. */
  readonly inForce: InForce | undefined;
}

import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../tuned/resolve.ts";

/** What makes a node be as a resolved profile says. */
export interface Engine {
  readonly name: "native" | "tuned";
  /** Afterwards the profile is in force, and settings of an earlier one that it does not have are as they were. */
  apply(profile: ResolvedProfile, host: Host): Promise<ApplyReport>;
  /** Compares without changing anything. */
  verify(profile: ResolvedProfile, host: Host): Promise<VerifyReport>;
  /** Puts back every original. */
  rollback(host: Host): Promise<RollbackReport>;
}

export interface ApplyReport {
  readonly settings: readonly SettingReport[];
  readonly restored: readonly Restored[];
}

/** One option of the profile, and what became of it. */
export type SettingReport = {
  readonly unit: string;
  readonly option: string;
  /** `file:line` of the profile text that asks for it. */
  readonly from: string;
} & (
  | { readonly type: "set"; readonly path: string; readonly value: string; readonly before: string }
  /** As wanted already. */
  | { readonly type: "same"; readonly path: string; readonly value: string }
  | { readonly type: "failed"; readonly message: string }
);

export interface VerifyReport {
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly unit: string;
  readonly option: string;
  readonly from: string;
  readonly message: string;
}

export interface RollbackReport {
  readonly restored: readonly Restored[];
}

export interface Restored {
  readonly path: string;
  readonly value: string;
  /** Why the original could not be put back; it is kept and tried again next time. */
  readonly failed?: string;
}

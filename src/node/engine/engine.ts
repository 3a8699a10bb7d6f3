import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { ReapplySysctl } from "./plugin.ts";

/** What makes a node be as a resolved profile says. */
export interface Engine {
  readonly name: "native" | "tuned";
  /** Afterwards the profile is in force, and settings of an earlier one that it does not have are as they were. */
  apply(profile: ResolvedProfile, host: Host, options?: ApplyOptions): Promise<ApplyReport>;
  /** Compares without changing anything. */
  verify(profile: ResolvedProfile, host: Host, options?: ApplyOptions): Promise<VerifyReport>;
  /** Puts back every original. */
  rollback(host: Host, options?: RollbackOptions): Promise<RollbackReport>;
}

export interface ApplyOptions {
  /** Default: they win, every one of them, as TuneD does when nothing else is configured. */
  reapplySysctl?: ReapplySysctl | undefined;
  /** Where profiles lie on the node. */
  profileDirectories?: readonly string[] | undefined;
  /** A daemon tells all it does. */
  debug?: boolean | undefined;
}

export interface RollbackOptions {
  /** `shutdown`: the node goes down and should come up tuned; what outlives a boot is left. Default `full`. */
  extent?: "full" | "shutdown" | undefined;
}

export interface ApplyReport {
  readonly settings: readonly SettingReport[];
  readonly restored: readonly Restored[];
}

export interface About {
  readonly unit: string;
  /** Empty where the whole unit is meant. */
  readonly option: string;
  /** `file:line` of the profile text that asks for it. */
  readonly from: string;
  readonly device?: string;
}

/** One option of the profile, on one device where it is for devices, and what became of it. */
export type SettingReport = About &
  (
    | {
        readonly type: "set";
        readonly target: string;
        readonly value: string;
        readonly before: string;
        /** Had been set to this by the same owner and was changed by somebody else since. */
        readonly drifted?: boolean;
        readonly note?: string;
      }
    /** As wanted already. */
    | { readonly type: "same"; readonly target: string; readonly value: string; readonly note?: string }
    /** Something later sets the same thing differently: another unit, or a sysctl file of the node itself. */
    | {
        readonly type: "overridden";
        readonly target: string;
        readonly value: string;
        readonly by: Pick<About, "unit" | "option" | "from"> & { readonly value: string };
      }
    | { readonly type: "skipped"; readonly level: "info" | "warning"; readonly message: string }
    | { readonly type: "failed"; readonly message: string }
  );

export interface VerifyReport {
  readonly differences: readonly Difference[];
}

export interface Difference extends About {
  readonly message: string;
  /** Of a setting that could be compared. */
  readonly target?: string;
  readonly expected?: string;
  readonly found?: string;
  /** It was as expected when it was applied: somebody else changed it since. */
  readonly drifted?: boolean;
}

export interface RollbackReport {
  readonly restored: readonly Restored[];
}

export interface Restored {
  readonly target: string;
  readonly value: string;
  /** Why the original could not be put back; it is kept and tried again next time. */
  readonly failed?: string;
}

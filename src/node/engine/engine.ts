import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { Follow, ReapplySysctl } from "./plugin.ts";

/** Applies resolved profiles to a node, verifies them and rolls them back. */
export interface Engine {
  readonly name: "native" | "tuned";
  /** Applies the profile, and rolls back settings of an earlier profile that this one does not have. */
  apply(profile: ResolvedProfile, host: Host, options?: ApplyOptions): Promise<ApplyReport>;
  /** Compares the node with the profile and changes nothing. */
  verify(profile: ResolvedProfile, host: Host, options?: ApplyOptions): Promise<VerifyReport>;
  /** Tunes what is new or drifted, and nothing else. Absent where the engine follows the node by itself. */
  follow?(profile: ResolvedProfile, host: Host, follow: Follow, options?: ApplyOptions): Promise<ApplyReport>;
  /** Restores every original. */
  rollback(host: Host, options?: RollbackOptions): Promise<RollbackReport>;
}

/** Where the scripts of built-in profiles are written: on image-based hosts `/usr` is read-only. */
export const scriptDirectories: readonly string[] = ["/var/lib/attune/profiles", "/run/attune/profiles"];

/** Where TuneD looks for profiles; a later folder wins. Each pair is the layout of TuneD 2.28, then the older one. */
export const systemDirectories = ["/usr/lib/tuned/profiles", "/usr/lib/tuned", "/etc/tuned/profiles", "/etc/tuned"];

export interface ApplyOptions {
  /** Default: every sysctl file of the node wins over the profile, as in TuneD by default. */
  reapplySysctl?: ReapplySysctl | undefined;
  /** Directories of profiles on the node. */
  profileDirectories?: readonly string[] | undefined;
  /** The TuneD daemon logs at debug level. */
  debug?: boolean | undefined;
}

export interface RollbackOptions {
  /** `shutdown`: settings that outlive a boot stay, so that the node comes up tuned. Default `full`. */
  extent?: "full" | "shutdown" | undefined;
}

export interface ApplyReport {
  readonly settings: readonly SettingReport[];
  readonly restored: readonly Restored[];
}

export interface About {
  readonly unit: string;
  /** Empty for a report on the whole unit. */
  readonly option: string;
  /** `file:line` of the profile text that asks for it. */
  readonly from: string;
  readonly device?: string;
}

/** The result for one option of the profile, on one device where the option is for devices. */
export type SettingReport = About &
  (
    | {
        readonly type: "set";
        readonly target: string;
        readonly value: string;
        readonly before: string;
        /** The same owner had set it to this value, and another process changed it since. */
        readonly drifted?: boolean;
        readonly note?: string;
      }
    /** It had the wanted value already. */
    | { readonly type: "same"; readonly target: string; readonly value: string; readonly note?: string }
    /** A later unit, a sysctl file of the node or another owner sets the same target to another value. */
    | {
        readonly type: "overridden";
        readonly target: string;
        readonly value: string;
        readonly by: Pick<About, "unit" | "option" | "from"> & {
          readonly value: string;
          /** The owner of the ledger that holds the target, where it is another one. */
          readonly owner?: string;
        };
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
  /** The profile had set it, and another process changed it since. */
  readonly drifted?: boolean;
}

export interface RollbackReport {
  readonly restored: readonly Restored[];
}

export interface Restored {
  readonly target: string;
  readonly value: string;
  /** Why the original could not be restored; it stays in the journal for the next roll-back. */
  readonly failed?: string;
  /** What else could not be done, and need not be: a service was not restarted, as systemd does not run. */
  readonly note?: string;
}

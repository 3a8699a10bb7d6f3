import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { Unit } from "../../language/tuned/unit.ts";
import type { Action } from "./action.ts";

/**
 * Turns units of one type into steps. A plug-in only reads; the engine journals, acts, verifies and undoes. Unknown options
 * are reported (`unknownOption`), never ignored.
 */
export interface Plugin {
  readonly type: string;
  /** Options that are applied even if the profile does not name them, with their values (`null`: only when named). */
  readonly defaults?: Readonly<Record<string, string | null>>;
  /** The node's devices, for plug-ins that tune devices; units claim them in order, by `unit.devices`. */
  devices?(observe: Observe): Promise<readonly string[]>;
  /** udev's properties of a device, `KEY=value` lines sorted by key; `devices_udev_regex` is searched in them. */
  properties?(device: string, observe: Observe): Promise<string>;
  /** When its units are planned again. Default: at a resync, and for plug-ins with devices also when one appears. */
  readonly follows?: readonly Occasion[];
  plan(unit: Unit, observe: Observe, devices: readonly string[]): Promise<Step[]>;
}

/** Why a profile that is in force is planned again. */
export type Follow =
  | { readonly occasion: "resync" }
  /** Devices that appeared, whatever their kind. */
  | { readonly occasion: "devices"; readonly devices: ReadonlySet<string> }
  /** Processes that started. */
  | { readonly occasion: "processes"; readonly pids: ReadonlySet<number> };

export type Occasion = Follow["occasion"];

/** What a plug-in may read. */
export interface Observe {
  /**
   * `run` is only for programs that change nothing (`ethtool -k eth0`). Files are read as they will be once the units
   * before this one are applied.
   */
  readonly host: Pick<Host, "read" | "list" | "run" | "real">;
  /** `verify`: the steps are compared with the node and not carried out. */
  readonly purpose: "apply" | "verify";
  /** Set when the profile is in force already and only new and drifted settings are due. */
  readonly follow?: Follow | undefined;
  /**
   * The original of a target, where the ledger has one; or the value that an earlier unit of the same profile will set,
   * as TuneD would find it then.
   */
  original(target: string): string | undefined;
  /** The value that an owner last set a target to, where the ledger has one. */
  applied?(target: string): string | undefined;
  /** Whether the kernel refused to change a target since the boot (a tolerated error of a write). */
  refused?(target: string): boolean;
  /** The whole profile: some settings only the last unit of a type decides. */
  readonly profile?: Pick<ResolvedProfile, "units" | "bootArguments">;
  /** Directories of profiles, in order: scripts are run from nowhere else. */
  readonly profileDirectories: readonly string[];
  /** Variables of the profile: scripts get them as `TUNED_<name>`. */
  readonly variables: ReadonlyMap<string, string>;
  readonly reapplySysctl: ReapplySysctl;
  /** Position of this unit among those of its type, from 0: some settings only the first unit decides. */
  readonly instance: number;
}

/** Whether the node's own sysctl files win over the profile, and the keys (globs) for which they do not. */
export interface ReapplySysctl {
  readonly enabled: boolean;
  readonly exclude: readonly string[];
}

interface About {
  readonly option: string;
  /** `file:line` of the profile text that asks for it. */
  readonly from: string;
  readonly device?: string;
}

/** What one option needs, on one device where the option is for devices, given the node's current state. */
export type Step = About & (Change | Skipped | Impossible);

export interface Change {
  /** `same`: the target has the wanted value. `change`: `actions` set it. */
  readonly type: "change" | "same";
  /** A unique name of what is changed: a path, or `ethtool eth0 features tso`. */
  readonly target: string;
  /** The current value, for reports and the journal. */
  readonly before: string;
  readonly value: string;
  readonly actions: readonly Action[];
  /**
   * Restores `before`. Written to the journal before the first action of the whole plan. Nothing is recorded where there is
   * nothing to undo (`[]`).
   */
  readonly undo: readonly Action[];
  /** Whether `undo` belongs to this value, not to the first one of the target: boot arguments. Default false. */
  readonly undoesValue?: boolean;
  /** Used instead of `undo` when the node shuts down and keeps its profile: TuneD's soft roll-back. */
  readonly undoAtShutdown?: readonly Action[];
  /** Whether the change ends with the boot (sysctls) or outlives it (files, boot arguments). Default `boot`. */
  readonly lasts?: "boot" | "persistent";
  /** False where TuneD never verifies it (`force_latency`). Default true. */
  readonly verified?: boolean;
  /** Carried out even if `before` equals `value` (scripts, service restarts). */
  readonly always?: boolean;
  /** Added to the report: `3 of 4 IRQs cannot be moved`. */
  readonly note?: string;
}

/** Nothing to do, for a reason to report: no matching device, kernel command line wins. Verifies as passed. */
export interface Skipped {
  readonly type: "skipped";
  readonly message: string;
  /** The level at which TuneD logs it. Default `warning`. */
  readonly level?: "info" | "warning";
}

export interface Impossible {
  readonly type: "impossible";
  readonly message: string;
  /** False where TuneD logs an error when applying but verifies as passed. Default true: a difference. */
  readonly verified?: boolean;
}

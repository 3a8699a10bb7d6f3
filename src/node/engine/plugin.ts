import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { Unit } from "../../language/tuned/unit.ts";
import type { Action } from "./action.ts";

/**
 * Knows one type of unit: what its options mean on a node. Only looks; the engine journals, acts, verifies and undoes.
 * One file in `plugins/` each. Options it does not know are reported (`unknown-option.ts`), never passed over.
 */
export interface Plugin {
  readonly type: string;
  /** Options and their defaults that are applied even if the profile does not name them (`null`: only when named). */
  readonly defaults?: Readonly<Record<string, string | null>>;
  /** The devices of this plug-in that the node has, where it has any; units claim them in order, by `unit.devices`. */
  devices?(observe: Observe): Promise<readonly string[]>;
  /** What udev knows of a device, `KEY=value` lines sorted by key: what `devices_udev_regex` is searched for in. */
  properties?(device: string, observe: Observe): Promise<string>;
  plan(unit: Unit, observe: Observe, devices: readonly string[]): Promise<Step[]>;
}

/** What a plug-in may look at. */
export interface Observe {
  /**
   * `run` only for programs that change nothing (`ethtool -k eth0`). Files read as they will be once the units before
   * this one are applied.
   */
  readonly host: Pick<Host, "read" | "list" | "run" | "real">;
  /** What is planned for: `verify` compares with the node as it is, and nothing will be carried out. */
  readonly purpose: "apply" | "verify";
  /**
   * What a target held before anybody tuned it, where that is on record; or what an earlier unit of the same profile
   * will make of it, as TuneD would find it then.
   */
  original(target: string): string | undefined;
  /** What a target was last set to, where that is on record: what it holds now is then ours, or somebody else's. */
  applied?(target: string): string | undefined;
  /** Whether the kernel did not let a target be changed since the boot (a tolerated error of a write). */
  refused?(target: string): boolean;
  /** What the unit is a part of: some things of a node only one unit of a type may have. */
  readonly profile?: Pick<ResolvedProfile, "units" | "bootArguments">;
  /** Where profiles lie, in order: scripts are run from nowhere else. */
  readonly profileDirectories: readonly string[];
  /** Of the profile: scripts get them as `TUNED_<name>`. */
  readonly variables: ReadonlyMap<string, string>;
  readonly reapplySysctl: ReapplySysctl;
  /** Position of this unit among those of its type, counted from 0: some settings are the first one's alone. */
  readonly instance: number;
}

/** Whether the node's own sysctl files win over the profile, and for which keys (globs) they do not. */
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

/** What one option asks for, on one device where it is for devices, seen against what is there. */
export type Step = About & (Change | Skipped | Impossible);

export interface Change {
  /** `same`: as wanted already, nothing is done. `change`: `actions` make it so. */
  readonly type: "change" | "same";
  /** Names the thing that is changed, one name for each: a path, or `ethtool eth0 features tso`. */
  readonly target: string;
  /** As people read it, and as the journal keeps it. */
  readonly before: string;
  readonly value: string;
  readonly actions: readonly Action[];
  /**
   * Makes it as `before` again. Written to the journal before the first action of the whole plan. Where there is
   * nothing to undo (`[]`), nothing is recorded.
   */
  readonly undo: readonly Action[];
  /** Instead of `undo` when the node goes down and the profile does not: TuneD's soft roll-back (2.16). */
  readonly undoAtShutdown?: readonly Action[];
  /** Whether the change ends with the boot (sysctls) or outlives it (files, boot arguments). Default `boot`. */
  readonly lasts?: "boot" | "persistent";
  /** TuneD never compares it afterwards, so a difference is not one (`force_latency`). Default true. */
  readonly verified?: boolean;
  /** Carried out even where before and value agree (scripts, service restarts). */
  readonly always?: boolean;
  /** Worth telling besides: `3 of 4 IRQs cannot be moved`. */
  readonly note?: string;
}

/** Nothing to do, for a reason worth telling: no matching device, kernel command line wins. Verifies as passed. */
export interface Skipped {
  readonly type: "skipped";
  readonly message: string;
  /** TuneD says such things as information or as a warning, the default. */
  readonly level?: "info" | "warning";
}

export interface Impossible {
  readonly type: "impossible";
  readonly message: string;
  /** False where TuneD complains when applying but verifies as passed. Default true: a difference. */
  readonly verified?: boolean;
}

import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../tuned/resolve.ts";
import type { Unit } from "../tuned/unit.ts";
import type { Action } from "./action.ts";

/**
 * Knows one type of unit: what its options mean on a node. Only looks; the engine journals, acts, verifies and undoes.
 * One file in `plugins/` each. Options it does not know are reported as impossible, never passed over.
 */
export interface Plugin {
  readonly type: string;
  /** Options and their defaults that are applied even if the profile does not name them (`null`: only when named). */
  readonly defaults?: Readonly<Record<string, string | null>>;
  /** The devices of this plug-in that the node has, where it has any; units claim them in order, by `unit.devices`. */
  devices?(observe: Observe): Promise<readonly string[]>;
  plan(unit: Unit, observe: Observe, devices: readonly string[]): Promise<Step[]>;
}

/** What a plug-in may look at. `run` only for programs that change nothing (`ethtool -k eth0`). */
export interface Observe {
  readonly host: Pick<Host, "read" | "list" | "run">;
  /** What a target held before anybody tuned it, where that is on record. */
  original(target: string): string | undefined;
  /** What the unit is a part of: some things of a node only one unit of a type may have. */
  readonly profile?: Pick<ResolvedProfile, "units" | "bootArguments">;
  /** Regular files of the profile's directory and such, as the engine was told: `profileDirectories`, in order. */
  readonly profileDirectories: readonly string[];
}

interface About {
  readonly option: string;
  /** `file:line` of the profile text that asks for it. */
  readonly from: string;
  readonly device?: string;
}

/** What one option asks for, on one device where it is for devices, seen against what is there. */
export type Step = About &
  (
    | {
        /** `same`: as wanted already, nothing is done. `change`: `actions` make it so. */
        readonly type: "change" | "same";
        /** Names the thing that is changed, one name for each: a path, or `ethtool eth0 features tso`. */
        readonly target: string;
        /** As people read it, and as the journal keeps it. */
        readonly before: string;
        readonly value: string;
        readonly actions: readonly Action[];
        /** Makes it as `before` again. Written to the journal before the first action of the whole plan. */
        readonly undo: readonly Action[];
        /** Whether the change ends with the boot (sysctls) or outlives it (files, boot arguments). Default `boot`. */
        readonly lasts?: "boot" | "persistent";
        /** TuneD never compares it afterwards, so a difference is not one (`force_latency`). Default true. */
        readonly verified?: boolean;
        /** Carried out even where before and value agree (scripts, service restarts). */
        readonly always?: boolean;
      }
    /** Nothing to do, for a reason worth telling: no matching device, kernel command line wins. Verifies as passed. */
    | { readonly type: "skipped"; readonly message: string }
    | { readonly type: "impossible"; readonly message: string }
  );

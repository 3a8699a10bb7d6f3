import type { CpuSet } from "../../../language/cpu/cpu-set.ts";

/** What tuning depends on, of the node itself. */
export interface NodeFacts {
  readonly bootId: string;
  /** Online, by their numbers: not all numbers up to the highest are, and some may be offline. */
  readonly cpus: CpuSet;
  /** Sorted by name. */
  readonly interfaces: readonly NetworkInterface[];
  /** Names of its block devices. */
  readonly blockDevices: readonly string[];
  /** Of the paths that the script of the engine `perftune` may need: those that the node has. */
  readonly paths: readonly string[];
  /** Whether the node is one of GKE; undefined if that cannot be told now. */
  readonly onGke: boolean | undefined;
}

export interface NetworkInterface {
  readonly name: string;
  /** Another one with the same name has another index: its driver was loaded again, or a card was replaced. */
  readonly index: number;
}

/** What tuning depends on, of one database's container. */
export type ContainerFacts =
  | { readonly type: "known"; readonly database: DatabaseFacts }
  /** Not this container: it has ended, or it belongs to another pod. */
  | { readonly type: "absent"; readonly reason: string }
  /** The node cannot tell now. */
  | { readonly type: "unknown"; readonly reason: string };

export interface DatabaseFacts {
  /** Empty: it has none for itself. */
  readonly cpus: CpuSet;
  /** Where the node keeps its data, with links resolved. */
  readonly directory?: string | undefined;
  /** Block devices with the data: `nvme0n1` */
  readonly devices: readonly string[];
}

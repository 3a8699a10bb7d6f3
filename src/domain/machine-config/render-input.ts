import type { MachineConfig, MachineConfigPool } from "./api.ts";
import type { Digest } from "./content-hash.ts";
import type { StorageOverride } from "./reconcilable.ts";

/** All that decides a pool's rendered config. */
export interface RenderInput {
  readonly pool: MachineConfigPool;
  /** Those that the pool selects, in any order, with those that are generated for it. */
  readonly machineConfigs: readonly MachineConfig[];
  /** Default: none, so that nodes keep their operating system. */
  readonly images?: Images | undefined;
  /** Of the running operator. */
  readonly version: string;
  /** Of the cluster. */
  readonly release?: string | undefined;
  readonly digest: Digest;
  /** The rendered config that the pool's nodes have: a running node cannot change to every other one. Absent: none yet. */
  readonly current?: MachineConfig | undefined;
  /** Differences from `current` that are accepted, for new nodes only. */
  readonly storageOverrides?: readonly StorageOverride[] | undefined;
}

/** What a pool has if no MachineConfig says otherwise. */
export interface Images {
  readonly osImageURL: string;
  readonly baseOSExtensionsContainerImage: string;
}

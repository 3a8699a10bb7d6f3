import { formatTime } from "../../../language/object/time.ts";
import type { MachineConfig, MachineConfigPool } from "../../machine-config/api.ts";
import type { BootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { bootArgumentsMissing, longestMs, type Missing } from "../../rollout/barrier.ts";
import { setOf } from "../../rollout/derived-set.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { selects } from "../pools.ts";

/** On a derived Tuned: when its set was written. RFC 3339. */
export const derivedAtAnnotation = "rollout.attune.dev/derived-at";

/**
 * Where another operator rolls out the pools, nothing can hold back its rendering. Instead the MachineConfig and the
 * KubeletConfig of a profile are written when the nodes have reported the boot arguments of its Tuned.
 */
export interface HoldInput {
  /** What node tuning last decided. Undefined: nothing since the operator started. */
  readonly boot: BootDecision | undefined;
  /** Of the cluster; those with boot arguments have their spec. */
  readonly machineConfigs: readonly MachineConfig[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Where nothing is written before there is a node. `joined`: RFC 3339. */
  readonly firstNode?: { readonly joined: string | undefined } | undefined;
}

export interface Hold {
  readonly missing: Missing;
  readonly leftMs: number;
}

/** Why the objects of a pool wait, and for how long at most. `tuned`: with the set that must have been seen; none if deleted. */
export function holdOf(
  { boot, machineConfigs, now }: HoldInput,
  {
    pool,
    tuned,
    name,
    since,
  }: { pool: MachineConfigPool; tuned?: KubeObject | undefined; name: string; since: string },
): Hold | undefined {
  const leftMs = longestMs - Math.max(now - Date.parse(since), 0);
  if (leftMs <= 0) return undefined;
  const seen = boot?.tuneds.find(({ metadata }) => metadata.name === name);
  const isSeen = boot !== undefined && (seen && setOf(seen)) === (tuned && setOf(tuned));
  const sources = machineConfigs.filter(({ metadata }) =>
    selects(pool.spec?.machineConfigSelector, metadata.labels ?? {}),
  );
  const missing = isSeen
    ? bootArgumentsMissing({ pool, sources, boot })
    : { waitsFor: "the decision about boot arguments" };
  return missing && { missing, leftMs };
}

/** When the set of a Tuned was written first. */
export function derivedAt(set: string | undefined, observed: KubeObject | undefined, now: number): string {
  const at = observed?.metadata.annotations?.[derivedAtAnnotation];
  const isKnown = observed !== undefined && setOf(observed) === set && at !== undefined && Date.parse(at) <= now;
  return isKnown ? at : formatTime(now);
}

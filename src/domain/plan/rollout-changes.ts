import type { KubeObject } from "../../language/object/meta.ts";
import type { ContainerRuntimeConfig, KubeletConfig, MachineConfig } from "../machine-config/api.ts";
import type { Digest } from "../machine-config/content-hash.ts";
import type { DisruptionPolicy } from "../machine-config/cost/disruption-policy.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import type { BootChange } from "./boot-changes.ts";
import type { ChangePlan, PlannedWrite } from "./change-plan.ts";
import { poolChanges } from "./pool-changes.ts";
import { poolSide } from "./pool-side.ts";
import type { BlockedNode } from "./pool-waits.ts";
import { withWritten } from "./profile-changes.ts";
import type { Settled } from "./settle.ts";
import { type PlannedRemoval, withoutRemoved } from "./removals.ts";
import { poolConfigFindings } from "./pool-config-findings.ts";
import { objectsByPool, refusedConfigurations } from "./written-configurations.ts";

/** What the rollout of pools depends on, beside pools, MachineConfigs and nodes. */
export interface RolloutState {
  readonly kubeletConfigs: readonly KubeletConfig[];
  readonly containerRuntimeConfigs: readonly ContainerRuntimeConfig[];
  readonly policy: DisruptionPolicy;
  /** Pods that could not be evicted now. */
  readonly blocked: readonly BlockedNode[];
  /** Where the operator runs: of a pool with several nodes, this one is told last. */
  readonly operatorNode?: string | undefined;
  /** Attune rolls out pools; otherwise a machine config operator does. */
  readonly isOurs: boolean;
  readonly digest: Digest;
}

export interface RolloutChangesInput extends RolloutState {
  /** Those of derived objects too. */
  readonly writes: readonly PlannedWrite[];
  /** With what goes with them. */
  readonly removals: readonly PlannedRemoval[];
  readonly before: NodeTuningInput;
  /** With the writes, but not with derived objects. */
  readonly after: NodeTuningInput;
  readonly settled: Sides<Settled>;
  readonly boot: readonly BootChange[];
  readonly nodes: Sides<readonly KubeObject[]>;
}

interface Sides<T> {
  readonly before: T;
  readonly after: T;
}

/** What a change does to pools, made with the operator's own functions. */
export function rolloutChanges(input: RolloutChangesInput): Pick<ChangePlan, "pools" | "findings"> {
  const { writes, removals, before, after, settled, nodes, kubeletConfigs, containerRuntimeConfigs, digest } = input;
  const { version, now } = before;
  // Objects that are yet to be derived are the newest: of KubeletConfigs the newest wins.
  const written = <T extends KubeObject>(kind: string): T[] =>
    writes
      .map(({ after: object }) => ({ ...object, metadata: { creationTimestamp: now, ...object.metadata } }))
      .filter((object) => object.kind === kind) as unknown as T[];
  const stays = <T extends KubeObject>(all: readonly T[], kind: string): T[] => withoutRemoved(all, kind, removals);
  const common = { version, now, digest };
  const old = poolSide({
    ...common,
    pools: before.pools ?? [],
    machineConfigs: [...settled.before.machineConfigs.values()],
    kubeletConfigs,
    containerRuntimeConfigs,
    nodes: nodes.before,
  });
  const fresh = poolSide({
    ...common,
    pools: after.pools ?? [],
    machineConfigs: withWritten([...settled.after.machineConfigs.values()], written<MachineConfig>("MachineConfig")),
    kubeletConfigs: stays(withWritten(kubeletConfigs, written<KubeletConfig>("KubeletConfig")), "KubeletConfig"),
    containerRuntimeConfigs: stays(
      withWritten(containerRuntimeConfigs, written<ContainerRuntimeConfig>("ContainerRuntimeConfig")),
      "ContainerRuntimeConfig",
    ),
    nodes: nodes.after,
  });
  const configs = new Map((before.machineConfigs ?? []).map((config) => [config.metadata.name ?? "", config]));
  return {
    pools: poolChanges({
      ...input,
      before: old.pools,
      after: fresh.pools,
      objectsOf: objectsByPool({ writes, removals, boot: input.boot }, after.pools ?? []),
      config: (name) => configs.get(name),
      boot: settled.after.boot,
      now,
    }),
    findings: [...refusedConfigurations(writes, old.pools, fresh.pools), ...poolConfigFindings(writes, fresh)],
  };
}

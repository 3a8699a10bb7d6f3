import type { KubeObject } from "../../language/object/meta.ts";
import { mostSevereFirst } from "../finding.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import { hostedScopes } from "../hosted/pool-rules.ts";
import { type Tuned, tuningNamespace } from "../node-tuning/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { answersOf, traitsOf } from "../node-tuning/known-nodes.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";
import { projectNode } from "../node-tuning/projections.ts";
import { performanceProfileKind } from "../performance-profile/api.ts";
import type { ClusterObjects } from "../performance-profile/surroundings.ts";
import {
  type ScyllaNodeConfig,
  scyllaNodeConfigKind,
  type ScyllaOperatorConfig,
  scyllaOperatorConfigKind,
} from "../scylla/api.ts";
import { defaultName } from "../scylla/names.ts";
import { afterRestart } from "./after-restart.ts";
import { type ChangePlan, plannedObject, type PlannedWrite } from "./change-plan.ts";
import { ignoredTuneds } from "./findings.ts";
import { previewTuning } from "./preview.ts";
import { type PlannedRemoval, removedObject, withOwned, withoutRemoved } from "./removals.ts";
import { profileChanges, withWritten } from "./profile-changes.ts";
import { type RolloutState, rolloutChanges } from "./rollout-changes.ts";
import { scyllaChanges, type ScyllaChanges } from "./scylla/scylla-changes.ts";
import type { ScyllaState } from "./scylla/scylla-side.ts";
import { restartsWith } from "./written-configurations.ts";

export interface PlanInput {
  readonly writes: readonly PlannedWrite[];
  readonly removals?: readonly PlannedRemoval[];
  readonly cluster: ClusterState;
}

/** What a cluster has, as far as a plan depends on it. Nodes and Profiles are whole here, and projected in `tuning`. */
export interface ClusterState extends Omit<ClusterObjects, "pools" | "machineConfigs"> {
  /** What the operator decides by. */
  readonly tuning: NodeTuningInput;
  /** KubeletConfigs and RuntimeClasses that have the names of objects derived from the written profiles. */
  readonly derived: readonly KubeObject[];
  /** Absent where the cluster has no MachineConfigPools. */
  readonly rollout?: RolloutState | undefined;
  /** Absent where the cluster has no ScyllaNodeConfigs. */
  readonly scylla?: ScyllaState | undefined;
}

export type PlanResult =
  | { readonly type: "planned"; readonly plan: ChangePlan }
  /** The webhook would reject a written object. */
  | { readonly type: "refused"; readonly problems: readonly string[] };

/** What writes and deletions would do to a cluster. Pure: all that the plan depends on is in the input. */
export function planChanges({ writes, removals: named = [], cluster }: PlanInput): PlanResult {
  const objects = writes.map(({ after }) => after);
  const before = cluster.tuning;
  const removals = withOwned(named, ownable(cluster));
  const written = tuningAfter(before, objects, removals);
  const nodes = withoutRemoved(withWritten(cluster.nodes, objects.filter(isKind("Node"))), "Node", removals);
  const { pools, machineConfigs } = written;
  const performanceProfiles = withoutRemoved(cluster.performanceProfiles, performanceProfileKind.kind, removals);
  const profiles = profileChanges({
    writes,
    after: written,
    cluster: { ...cluster, performanceProfiles, nodes, pools, machineConfigs },
  });
  if (profiles.problems.length > 0) return { type: "refused", problems: profiles.problems };

  const all = [...writes, ...profiles.writes];
  const restarts = restartsWith(all, written);
  const traits = traitsOf(nodes, cluster.profiles ?? []);
  const preview = previewTuning({
    before,
    after: { ...written, tuneds: withWritten(written.tuneds, profiles.tuneds) },
    written: [...objects.filter(isTunedInUse), ...profiles.tuneds].map(({ metadata }) => metadata.name ?? ""),
    answers: {
      before: answersOf((node) => traits.get(node)),
      after: answersOf((node) => {
        const now = traits.get(node);
        return now && (restarts.get(node) ?? []).reduce(afterRestart, now);
      }),
    },
  });
  const { settled, ...previewed } = preview;
  const rollout =
    cluster.rollout &&
    rolloutChanges({
      ...cluster.rollout,
      writes: all,
      removals,
      before,
      after: written,
      settled,
      boot: preview.boot,
      nodes: { before: cluster.nodes, after: nodes },
    });
  const scylla = scyllaAfter(cluster, { nodes, objects, removals });
  return {
    type: "planned",
    plan: {
      ...previewed,
      findings: [
        ...profiles.findings,
        ...(rollout?.findings ?? []),
        ...(scylla?.findings ?? []),
        ...preview.findings,
        ...ignoredTuneds(objects),
      ].toSorted(mostSevereFirst),
      objects: [
        ...writes.map(plannedObject),
        ...removals.map(removedObject),
        ...profiles.objects,
        ...(scylla?.objects ?? []),
      ],
      pools: rollout?.pools ?? [],
      ...(scylla && scylla.agents.length + scylla.databases.length > 0
        ? { scylla: { agents: scylla.agents, databases: scylla.databases } }
        : {}),
    },
  };
}

/** Of a cluster whose operator tunes no nodes. */
export function writesOnly(writes: readonly PlannedWrite[], removals: readonly PlannedRemoval[]): ChangePlan {
  const objects = [...writes.map(plannedObject), ...removals.map(removedObject)];
  return { nodes: 0, changes: [], boot: [], findings: [], objects, pools: [] };
}

/** What a PerformanceProfile may own. The kinds of objects in lists are known by the list alone. */
function ownable({ tuning, derived }: ClusterState): KubeObject[] {
  return [
    ...tuning.tuneds.map((object) => ({ ...object, kind: "Tuned" })),
    ...(tuning.machineConfigs ?? []).map((object) => ({ ...object, kind: "MachineConfig" })),
    ...derived,
  ];
}

interface After {
  readonly nodes: readonly KubeObject[];
  readonly objects: readonly KubeObject[];
  readonly removals: readonly PlannedRemoval[];
}

function scyllaAfter(
  { scylla, nodes: before, tuning }: ClusterState,
  { nodes: after, objects, removals }: After,
): ScyllaChanges | undefined {
  if (!scylla) return undefined;
  const configs = objects.filter(isKind(scyllaNodeConfigKind.kind)) as ScyllaNodeConfig[];
  const operatorConfigs: ScyllaOperatorConfig[] = objects.filter(isKind(scyllaOperatorConfigKind.kind));
  const operatorConfig = operatorConfigs.find(({ metadata }) => metadata.name === defaultName);
  return scyllaChanges({
    before: scylla,
    after: {
      configs: withoutRemoved(withWritten(scylla.configs, configs), scyllaNodeConfigKind.kind, removals),
      operatorConfig: operatorConfig ?? scylla.operatorConfig,
    },
    nodes: { before, after },
    written: [...configs, ...operatorConfigs],
    now: tuning.now,
  });
}

/** What the operator decides by once the objects are written, without those that are derived from them. */
function tuningAfter(
  before: NodeTuningInput,
  objects: readonly KubeObject[],
  removals: readonly PlannedRemoval[],
): NodeTuningInput {
  const nodes = objects.filter(isKind("Node")).map((node) => projectNode(node as NodeFacts));
  const pools = objects.filter(isKind("MachineConfigPool")) as MachineConfigPool[];
  const now = {
    tuneds: withoutRemoved(
      withWritten(before.tuneds, objects.filter(isTunedInUse) as Tuned[]),
      "Tuned",
      removals.filter(({ object }) => isTunedInUse(object)),
    ),
    nodes: withoutRemoved(withWritten(before.nodes, nodes), "Node", removals),
  };
  const scopes = hostedScopes(now.tuneds, now.nodes);
  return {
    ...before,
    ...now,
    mirrored: before.mirrored && scopes && { ...before.mirrored, scopes },
    pools: before.pools && withoutRemoved(withWritten(before.pools, pools), "MachineConfigPool", removals),
    machineConfigs:
      before.machineConfigs &&
      withoutRemoved(
        withWritten(before.machineConfigs, objects.filter(isKind("MachineConfig"))),
        "MachineConfig",
        removals,
      ),
  };
}

function isTunedInUse({ kind, metadata }: KubeObject): boolean {
  return kind === "Tuned" && metadata.namespace === tuningNamespace;
}

const isKind =
  (kind: string) =>
  (object: KubeObject): boolean =>
    object.kind === kind;

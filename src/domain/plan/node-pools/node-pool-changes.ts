import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import type { ObjectFinding } from "../../finding.ts";
import { type ConfigMap, readManifests } from "../../hosted/envelope/read-manifests.ts";
import { tuningKinds } from "../../hosted/envelope/manifest-kinds.ts";
import { plainProfile } from "../../hosted/envelope/embedded-profile.ts";
import { contentOf, nodePoolOf, tuningKeys } from "../../hosted/protocol.ts";
import {
  controlPlaneOf,
  type HostedCluster,
  hostedClusterKind,
  hostedClusterOf,
  type NodePool,
  nodePoolKind,
} from "../../node-pool/api.ts";
import { statusWithoutCluster } from "../../node-pool/decide-node-pool.ts";
import { hashTaken } from "../../node-pool/hash-taken.ts";
import { hashKeys } from "../../node-pool/node-pool-caches.ts";
import { pauseOf } from "../../node-pool/pause.ts";
import { configReferences, tuningReferences } from "../../node-pool/references.ts";
import { reportOn } from "../../node-pool/reported.ts";
import { lastPayload } from "../../node-pool/rollout/target.ts";
import { derivedAtAnnotation } from "../../performance-profile/other-operator/hold.ts";
import { derivedSetAnnotation } from "../../rollout/derived-set.ts";
import { type PlannedObject, plannedObject, type PlannedWrite } from "../change-plan.ts";
import { type NodeChange, nodeChanges } from "../node-changes.ts";
import { type PlannedRemoval, removedObject } from "../removals.ts";
import { resolver } from "../settle.ts";
import type { NodePoolChange } from "./node-pool-change.ts";
import { rolloutBetween } from "./node-pool-rollout.ts";
import { hostedTuneds, type SettledNodePool, settleNodePool, type SettleInput } from "./settle-node-pool.ts";

/** A management cluster, as far as a plan depends on it. */
export interface ManagementState extends Pick<SettleInput, "protocol" | "version" | "now" | "digest" | "compress"> {
  readonly nodePools: readonly NodePool[];
  readonly hostedClusters: readonly HostedCluster[];
  /** Of the namespaces of NodePools and of control planes. */
  readonly configMaps: readonly ConfigMap[];
}

export interface NodePoolChanges {
  readonly objects: readonly PlannedObject[];
  readonly nodePools: readonly NodePoolChange[];
  readonly findings: readonly ObjectFinding[];
}

interface Changes {
  readonly writes: readonly PlannedWrite[];
  readonly removals: readonly PlannedRemoval[];
}

/** What writes and deletions of NodePools and of the ConfigMaps that they refer to come to, by the functions of both operators. */
export function nodePoolChanges(changes: Changes, state: ManagementState): NodePoolChanges {
  const after = stateAfter(changes, state);
  const touched = [...changes.writes.map((write) => write.after), ...changes.removals.map(({ object }) => object)];
  const changed = new Set(touched.map(idOf));
  const reached = nodePoolsReached(after.nodePools, touched).map((nodePool) => changeOf(nodePool, { after, changed }));
  return {
    objects: reached.flatMap(({ objects }) => objects),
    nodePools: reached.flatMap(({ change }) => (change ? [change] : [])),
    findings: [
      ...reached.flatMap(({ findings }) => findings),
      ...touched.filter(isConfigMap).flatMap((one) => unreferenced(one, [...state.nodePools, ...after.nodePools])),
      ...changes.removals.flatMap(({ object }) => goingWith(object)),
    ],
  };
}

/** Those that are among the objects, or refer to one of them. */
export function nodePoolsReached(nodePools: readonly NodePool[], touched: readonly KubeObject[]): NodePool[] {
  const changed = new Set(touched.map(idOf));
  return nodePools.filter(
    (nodePool) =>
      changed.has(idOf({ ...nodePool, kind: nodePoolKind.kind })) ||
      referencesOf(nodePool).some((one) => changed.has(one)),
  );
}

function idOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${keyOf({ metadata })}`;
}

function isConfigMap({ kind }: KubeObject): boolean {
  return kind === "ConfigMap";
}

function referencesOf(nodePool: NodePool): string[] {
  return [...new Set([...tuningReferences(nodePool), ...configReferences(nodePool)])].map(
    (name) => `ConfigMap ${nodePool.metadata.namespace}/${name}`,
  );
}

function stateAfter({ writes, removals }: Changes, state: ManagementState): ManagementState {
  const after = <T extends KubeObject>(kind: string, objects: readonly T[]): T[] => {
    // Objects of lists do not tell their kind.
    const byKey = new Map(objects.map((object) => [keyOf(object), { ...object, kind }]));
    for (const { after: object } of writes)
      if (object.kind === kind) byKey.set(keyOf(object), object as T & { kind: string });
    for (const { object } of removals) if (object.kind === kind) byKey.delete(keyOf(object));
    return [...byKey.values()];
  };
  return {
    ...state,
    nodePools: after(nodePoolKind.kind, state.nodePools),
    hostedClusters: after(hostedClusterKind.kind, state.hostedClusters),
    configMaps: after("ConfigMap", state.configMaps),
  };
}

function unreferenced(configMap: KubeObject, nodePools: readonly NodePool[]): ObjectFinding[] {
  if (nodePools.some((nodePool) => referencesOf(nodePool).includes(idOf(configMap)))) return [];
  const { name = "", namespace = "" } = configMap.metadata;
  const ownOf = nodePools.find((nodePool) => controlPlaneOf(nodePool) === namespace);
  const message = ownOf
    ? `it is in the control plane namespace of HostedCluster ${hostedClusterOf(ownOf)}, which the operators write: put ConfigMaps of users into namespace ${ownOf.metadata.namespace}`
    : `no NodePool refers to it, and no node changes: name it in spec.tuningConfig (Tuneds, a PerformanceProfile) or spec.config (MachineConfigs and the like) of a NodePool in namespace ${namespace}`;
  return [{ severity: "warning", about: `ConfigMap ${name}`, message }];
}

function goingWith({ kind, metadata }: KubeObject): ObjectFinding[] {
  const about = `${kind} ${keyOf({ metadata })}`;
  if (kind === nodePoolKind.kind)
    return [{ severity: "warning", about, message: "its nodes lose the tuning that they have from it" }];
  if (kind === hostedClusterKind.kind)
    return [{ severity: "warning", about, message: "the nodes of all its NodePools lose their tuning" }];
  return [];
}

interface Sides {
  readonly after: ManagementState;
  /** Written and deleted objects. */
  readonly changed: ReadonlySet<string>;
}

interface Reached extends Pick<NodePoolChanges, "objects" | "findings"> {
  readonly change?: NodePoolChange;
}

function changeOf(nodePool: NodePool, { after, changed }: Sides): Reached {
  const key = keyOf(nodePool);
  const about = `NodePool ${key}`;
  const hostedCluster = after.hostedClusters.find((one) => keyOf(one) === hostedClusterOf(nodePool));
  if (!hostedCluster) {
    const { conditions = [] } = statusWithoutCluster(nodePool, after.now);
    const messages = conditions.filter(({ status }) => status === "False").map(({ message }) => message);
    return { objects: [], findings: messages.map((message) => ({ severity: "error", about, message })) };
  }
  const input = inputFor(nodePool, hostedCluster, after);
  const settled = settleNodePool(input);
  const { controlPlane } = input;
  const tuned = hostedTuneds(input, controlPlane);
  const [tuning] = nodeChanges(tuned.settled, settled.tuning.settled, { before: input.resolve, after: input.resolve });
  const rollout = rolloutBetween(nodePool, { before: controlPlane, after: settled.controlPlane }, input);
  const objects = objectsBetween(nodePool, { before: controlPlane, after: settled.controlPlane }, [
    tuned.tuneds,
    settled.tuning.tuneds,
  ]);
  const report = reportOn(nodePool.metadata.name ?? "", controlPlane);
  const pause = pauseOf(nodePool, after.now);
  const findings = [
    ...problemsOf(settled).map((problem): ObjectFinding => ({
      severity: "error",
      about,
      message: `refused: ${problem}`,
    })),
    ...wrongTexts(about, settled, tuning),
  ];
  return {
    objects,
    findings,
    change: {
      nodePool: key,
      hostedCluster: hostedClusterOf(nodePool),
      configMaps: referencesOf(nodePool)
        .filter((one) => changed.has(one))
        .map((one) => one.replace(/^.*\//, "")),
      nodes:
        report?.type === "read"
          ? report.value.counts.total
          : (nodePool.status?.replicas ?? nodePool.spec?.replicas ?? 0),
      ...(tuning ? { tuning: ofEachNode(tuning) } : {}),
      ...(rollout ? { rollout } : {}),
      waits: pause.isPaused
        ? [
            {
              reason: "Paused",
              message: `spec.pausedUntil of the NodePool is ${nodePool.spec?.pausedUntil}: nothing changes until then`,
            },
          ]
        : [],
    },
  };
}

/** Boot arguments reach nodes by the rollout. */
function ofEachNode({ nodes: _, settings, ...change }: NodeChange): NonNullable<NodePoolChange["tuning"]> {
  return { ...change, settings: settings.filter(({ unit }) => unit !== "bootloader") };
}

function inputFor(nodePool: NodePool, hostedCluster: HostedCluster, state: ManagementState): SettleInput {
  const namespace = controlPlaneOf(nodePool);
  const inNamespace = (wanted: string | undefined): ConfigMap[] =>
    state.configMaps.filter(({ metadata }) => metadata.namespace === wanted);
  const given = new Map(inNamespace(nodePool.metadata.namespace).map((one) => [one.metadata.name, one]));
  const taken = new Set(hashKeys(nodePool));
  const same = state.nodePools.filter((one) => hashKeys(one).some((key) => taken.has(key)));
  return {
    ...state,
    nodePool,
    hostedCluster,
    namespace,
    controlPlane: inNamespace(namespace),
    configMap: (name) => given.get(name),
    refused: hashTaken(nodePool, same),
    resolve: resolver(),
  };
}

/** In the words of the conditions that the NodePool gets. */
function problemsOf({ decision, refused }: SettledNodePool): string[] {
  const { conditions = [] } = decision.status;
  const messages = conditions.flatMap(({ type, status, message }) => {
    return problemConditions.has(type) && status === "False" ? message.split("\n") : [];
  });
  return [...new Set([...messages, ...refused])];
}

const problemConditions = new Set([
  "ValidTuningConfig",
  "ValidMachineConfig",
  "ValidGeneratedPayload",
  "UpdateManagementEnabled",
]);

/** What the hosted cluster finds wrong with Tuneds: there are all the profiles that they include. */
function wrongTexts(
  about: string,
  { tuning }: SettledNodePool,
  change: Pick<NonNullable<NodePoolChange["tuning"]>, "problems" | "warnings" | "after"> | undefined,
): ObjectFinding[] {
  const of = change?.after === undefined ? about : `profile ${change.after}`;
  return [
    ...Array.from(tuning.settled.boot.invalid ?? [], ([name, message]): ObjectFinding => ({
      severity: "error",
      about: `Tuned ${name}`,
      message,
    })),
    ...(change?.problems ?? []).map((message): ObjectFinding => ({ severity: "error", about: of, message })),
    ...(change?.warnings ?? []).map((message): ObjectFinding => ({ severity: "warning", about: of, message })),
  ];
}

type ControlPlanes = { readonly before: readonly ConfigMap[]; readonly after: readonly ConfigMap[] };

/** Objects that the hosted cluster and its nodes get, with the names that they have there. */
function objectsBetween(
  nodePool: NodePool,
  { before, after }: ControlPlanes,
  [tunedsBefore, tunedsAfter]: readonly [readonly KubeObject[], readonly KubeObject[]],
): PlannedObject[] {
  const { name = "" } = nodePool.metadata;
  const place = `NodePool ${keyOf(nodePool)}`;
  const all = (side: readonly ConfigMap[], tuneds: readonly KubeObject[]): Map<string, KubeObject> =>
    new Map(
      [...profilesIn(side, name), ...tuneds, ...(lastPayload(name, side) ?? [])].map((object) => [
        `${object.kind} ${object.metadata.name}`,
        withoutMarks(object),
      ]),
    );
  const [old, wanted] = [all(before, tunedsBefore), all(after, tunedsAfter)];
  return [
    ...Array.from(wanted, ([id, object]) => plannedObject({ place, before: old.get(id), after: object })),
    ...[...old].filter(([id]) => !wanted.has(id)).map(([, object]) => removedObject({ place, object })),
  ]
    .filter(({ change }) => change !== "none")
    .map((object) => ({ ...object, derived: true }));
}

/** By which operators know what belongs together. */
function withoutMarks(object: KubeObject): KubeObject {
  const {
    [derivedSetAnnotation]: _set,
    [derivedAtAnnotation]: _at,
    ...annotations
  } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function profilesIn(controlPlane: readonly ConfigMap[], nodePool: string): KubeObject[] {
  return controlPlane
    .filter((one) => contentOf(one) === "profile" && nodePoolOf(one) === nodePool)
    .flatMap((one) => readManifests(one, tuningKeys, tuningKinds).manifests)
    .map(({ object }) => plainProfile(object, nodePool));
}

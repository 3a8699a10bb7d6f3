import type { KindRef, KubeObject, ObjectMeta } from "../../language/object/meta.ts";
import { type ObjectReference, type PlannedObject, referenceTo } from "../../language/object/plan.ts";
import { group, keys } from "../hosted/protocol.ts";
import { joinedName } from "../hosted/names.ts";
import type { HostedCluster, NodePool } from "./api.ts";
import type { MachineProvider, MachinesInput } from "./machine-provider.ts";

const clusterApi = "cluster.x-k8s.io";
const apiVersion = `${clusterApi}/v1beta1`;

const kindOf = <T extends KubeObject>(kind: string): KindRef<T> => ({
  apiVersion,
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});

/** A MachineDeployment or MachineSet. */
export interface MachineGroup extends KubeObject {
  spec?: {
    replicas?: number;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } };
    template?: Pick<Machine, "spec"> & { metadata?: Pick<ObjectMeta, "labels" | "annotations"> };
  };
  status?: {
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
    v1beta2?: { upToDateReplicas?: number; availableReplicas?: number };
  };
}

export interface Machine extends KubeObject {
  spec?: { bootstrap?: { dataSecretName?: string } };
  status?: { nodeRef?: { name?: string }; phase?: string };
}

export const machineDeploymentKind = kindOf<MachineGroup>("MachineDeployment");
export const machineSetKind = kindOf<MachineGroup>("MachineSet");
export const machineKind = kindOf<Machine>("Machine");

/** On a NodePool: `apiVersion/Kind/name` of the template that its machines are made of. Platforms have many fields for it. */
export const templateAnnotation = "rollout.attune.dev/machine-template";

/** On a MachineSet, and on Machines and their templates. */
const marks = {
  target: `${group}/nodePoolTargetConfigVersion`,
  current: `${group}/nodePoolCurrentConfigVersion`,
  maxUnavailable: `${group}/nodePoolMaxUnavailable`,
  progress: `${group}/nodePoolUpgradeInProgressTrue`,
  failure: `${group}/nodePoolUpgradeInProgressFalse`,
  taints: `${group}/nodePoolTaints`,
  release: `${group}/release-version`,
  paused: `${clusterApi}/paused`,
} as const;

/** Machines by Cluster API: a MachineDeployment that replaces them, or a MachineSet whose nodes are updated in place. */
export const clusterApiProvider: MachineProvider = {
  kinds: [machineDeploymentKind, machineSetKind, machineKind],
  plan(input) {
    const template = templateOf(input.nodePool);
    const isInPlace = input.nodePool.spec?.management?.upgradeType === "InPlace";
    if (isInPlace && !hasTemplate(input.nodePool)) return undefined;
    const machines = machinesOf(input);
    const nodes = machines.flatMap(({ status }) => status?.nodeRef?.name ?? []).toSorted();
    const observed = observedGroup(input, isInPlace ? machineSetKind : machineDeploymentKind);
    const status = { nodes, available: observed?.status?.availableReplicas ?? 0 };
    if (!template)
      return { ...status, objects: [], prunes: [], isComplete: false, problem: missingTemplate(input.nodePool) };
    const group = isInPlace ? machineSet(input, template) : machineDeployment(input, template);
    return {
      ...status,
      objects: [{ owns: "fields", object: group }, ...machines.flatMap((machine) => bookkeeping(machine, input))],
      prunes: [],
      isComplete: !input.isPaused && isComplete(observed, input),
    };
  },
  remains: (nodePool, observed) =>
    observed.filter((object) => isOf(object, nodePool)).map((object): ObjectReference => referenceTo(object)),
};

interface Template {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export function hasTemplate({ metadata: { annotations = {} } }: NodePool): boolean {
  return Object.hasOwn(annotations, templateAnnotation);
}

function templateOf(nodePool: NodePool): Template | undefined {
  const text = hasTemplate(nodePool) ? nodePool.metadata.annotations?.[templateAnnotation] : undefined;
  const [, version = "", kind = "", name = ""] = /^([\w.-]+\/\w+)\/(\w+)\/([\w.-]+)$/.exec(text ?? "") ?? [];
  return name === "" ? undefined : { apiVersion: version, kind, name };
}

function missingTemplate({ metadata: { name } }: NodePool): string {
  return `annotation ${templateAnnotation} of NodePool ${name} must name the template of its machines, as apiVersion/Kind/name, such as infrastructure.cluster.x-k8s.io/v1beta1/AgentMachineTemplate/pool`;
}

const longestName = 43;

/** The label by which machines of a NodePool are found, and the start of their names. */
function groupName({ spec, metadata }: HostedCluster, { metadata: pool }: NodePool): string {
  return joinedName(`${spec?.infraID ?? metadata.name}-${metadata.name}`, pool.name ?? "", longestName);
}

function machineDeployment(input: MachinesInput, template: Template): KubeObject {
  const { strategy = "RollingUpdate", rollingUpdate } = input.nodePool.spec?.management?.replace ?? {};
  const strategyOf =
    strategy === "OnDelete"
      ? { type: strategy }
      : { type: strategy, rollingUpdate: rollingUpdate ?? { maxSurge: 1, maxUnavailable: 0 } };
  // Not the labels and taints of nodes: their change would replace machines. See `bookkeeping`.
  const annotations = { [marks.release]: input.version };
  return groupOf(input, machineDeploymentKind, { template, annotations, strategy: strategyOf });
}

function machineSet(input: MachinesInput, template: Template): KubeObject {
  const { nodePool, target, current, maxUnavailable, progress } = input;
  const annotations = { [marks.taints]: taintsOf(nodePool) };
  const set = groupOf(input, machineSetKind, { template, annotations, labels: labelsOf(nodePool) });
  const isPending = current !== undefined && current !== target;
  return {
    ...set,
    metadata: {
      ...set.metadata,
      annotations: {
        ...set.metadata.annotations,
        [marks.maxUnavailable]: String(maxUnavailable),
        [marks.target]: target,
        // Machines of a new set boot with the target.
        [marks.current]: current ?? target,
        ...(isPending && progress ? { [progress.failed ? marks.failure : marks.progress]: progress.message } : {}),
      },
    },
  };
}

interface GroupParts {
  readonly template: Template;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly strategy?: object | undefined;
}

function groupOf(input: MachinesInput, { kind }: KindRef, parts: GroupParts): KubeObject {
  const { nodePool, hostedCluster, namespace, userData, version, isPaused } = input;
  const { namespace: poolNamespace, name = "" } = nodePool.metadata;
  const clusterName = hostedCluster.spec?.infraID ?? hostedCluster.metadata.name;
  const label = groupName(hostedCluster, nodePool);
  const of = { [keys.nodePool]: `${poolNamespace}/${name}` };
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [`${clusterApi}/cluster-name`]: clusterName ?? "" },
      annotations: { ...of, ...(isPaused ? { [marks.paused]: "true" } : {}) },
    },
    spec: {
      clusterName,
      ...(nodePool.spec?.autoScaling ? {} : { replicas: nodePool.spec?.replicas ?? 0 }),
      selector: { matchLabels: { [label]: label } },
      ...(parts.strategy ? { strategy: parts.strategy } : {}),
      template: {
        metadata: {
          labels: { [label]: label, [`${clusterApi}/cluster-name`]: clusterName, ...parts.labels },
          annotations: { ...of, ...parts.annotations },
        },
        spec: {
          clusterName,
          version,
          ...timeoutsOf(nodePool),
          bootstrap: { dataSecretName: userData },
          infrastructureRef: { ...parts.template, namespace },
        },
      },
    },
  };
}

function observedGroup({ nodePool, observed }: MachinesInput, { kind }: KindRef): MachineGroup | undefined {
  return observed.find((one) => one.kind === kind && one.metadata.name === nodePool.metadata.name);
}

/** Every machine is of the template that names the target. Counters of an older generation say nothing. */
function isComplete(observed: MachineGroup | undefined, { nodePool, userData }: MachinesInput): boolean {
  const { metadata, spec, status } = observed ?? {};
  if (spec?.template?.spec?.bootstrap?.dataSecretName !== userData) return false;
  const wanted = nodePool.spec?.autoScaling ? (spec.replicas ?? 0) : (nodePool.spec?.replicas ?? 0);
  if (spec.replicas !== wanted || (status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return false;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, v1beta2 } = status ?? {};
  const counters = [replicas, updatedReplicas, availableReplicas];
  if (v1beta2) counters.push(v1beta2.upToDateReplicas ?? -1, v1beta2.availableReplicas ?? -1);
  return counters.every((count) => count === wanted);
}

function machinesOf({ nodePool, observed }: MachinesInput): Machine[] {
  return observed.filter((object) => object.kind === machineKind.kind && isOf(object, nodePool));
}

/** By the annotation that templates give to machines. */
function isOf({ metadata: { annotations = {} } }: KubeObject, { metadata: { namespace, name } }: NodePool): boolean {
  return Object.hasOwn(annotations, keys.nodePool) && annotations[keys.nodePool] === `${namespace}/${name}`;
}

/** What existing machines get without being replaced; the release of a node that was updated in place. */
function bookkeeping({ metadata, status }: Machine, input: MachinesInput): PlannedObject[] {
  const { nodePool, updated, version } = input;
  const { name, namespace } = metadata;
  const isInPlace = nodePool.spec?.management?.upgradeType === "InPlace";
  const annotations = {
    ...(isInPlace ? {} : { [marks.taints]: taintsOf(nodePool) }),
    ...(isInPlace && updated.includes(status?.nodeRef?.name ?? "") ? { [marks.release]: version } : {}),
  };
  const labels = isInPlace ? {} : labelsOf(nodePool);
  if (Object.keys({ ...annotations, ...labels }).length === 0 || input.isPaused || metadata.deletionTimestamp)
    return [];
  return [
    {
      owns: "fields",
      object: { apiVersion, kind: machineKind.kind, metadata: { name, namespace, annotations, labels } },
    },
  ];
}

function timeoutsOf({ spec }: NodePool): Record<string, string> {
  const { nodeDrainTimeout = "", nodeVolumeDetachTimeout = "" } = spec ?? {};
  return {
    ...(nodeDrainTimeout === "" ? {} : { nodeDrainTimeout }),
    ...(nodeVolumeDetachTimeout === "" ? {} : { nodeVolumeDetachTimeout }),
  };
}

/** A controller in the hosted cluster takes the prefix off. */
function labelsOf({ spec }: NodePool): Record<string, string> {
  const labels = Object.entries(spec?.nodeLabels ?? {});
  return Object.fromEntries(labels.map(([key, value]) => [`managed.${group}.${key}`, value]));
}

/** As HyperShift writes it, where none are `null`. */
function taintsOf({ spec }: NodePool): string {
  const taints = spec?.taints?.map(({ key, value = "", effect }) => ({ key, value, effect }));
  return JSON.stringify(taints ?? null);
}

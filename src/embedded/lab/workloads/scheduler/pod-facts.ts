import type { Toleration } from "kubernetes-types/core/v1.js";
import { findCondition } from "../../../../language/object/condition.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { parseTime } from "../../../../language/object/time.ts";
import type { Pod } from "../workload-objects.ts";
import { type NodeConstraints, nodeConstraintsOf } from "../../../../language/object/scheduling/node-affinity.ts";
import { podQuery, type PodQuery, type PodTerm, podTermOf, selectorOf, withKeys } from "./pod-query.ts";
import { podRequests, type ResourceAmounts } from "./resource-amounts.ts";

export interface HostPort {
  ip: string;
  protocol: string;
  port: number;
}

export interface SpreadConstraint {
  query: PodQuery;
  topologyKey: string;
  maxSkew: number;
  minDomains: number;
  hard: boolean;
  /** Whether nodes are left out that the pod's affinity, or its tolerations, exclude. */
  honoursAffinity: boolean;
  honoursTaints: boolean;
}

/** The fields of a pod that scheduling uses, read once. */
export interface PodFacts {
  key: string;
  uid: string;
  namespace: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  priority: number;
  mayPreempt: boolean;
  startedAt: number;
  terminating: boolean;
  /** It has `spec.schedulingGates`. */
  gated: boolean;
  /** Its PodScheduled condition. */
  reported: { reason: string; message: string } | undefined;
  requests: ResourceAmounts;
  /** The requests for scoring: kube-scheduler counts a pod without requests as 100m cpu and 200 MiB. */
  weighed: { cpu: number; memory: number };
  tolerations: readonly Toleration[];
  nodes: NodeConstraints;
  /** `spec.nodeName`, or the node of a decision. */
  nodeName: string;
  /** `status.nominatedNodeName`: a preemption makes room for it there. */
  nominatedNode: string;
  ports: readonly HostPort[];
  /** The PersistentVolumeClaims that its volumes name. Those of ephemeral volumes are made after the pod. */
  claims: readonly string[];
  affinity: readonly PodTerm[];
  antiAffinity: readonly PodTerm[];
  /** Anti-affinity has negative weights. */
  preferred: readonly { weight: number; term: PodTerm }[];
  spread: readonly SpreadConstraint[];
}

const defaultCpu = 100;
const defaultMemory = 200 * 1024 * 1024;
const none: Readonly<Record<string, string>> = {};

export function podFacts(pod: Pod): PodFacts {
  const { metadata, spec, status } = pod;
  const { name = "", namespace = "", uid = "", labels = none } = metadata;
  if (!spec) throw new TypeError(`read pod ${keyOf(pod)}: it has no spec`);
  const self = { namespace, labels };
  const requests = podRequests(spec);
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const termsOf = (terms: Parameters<typeof podTermOf>[0][] = []): PodTerm[] =>
    terms.map((term) => podTermOf(term, self));
  const preferring = (terms: typeof podAffinity | typeof podAntiAffinity, sign: 1 | -1): PodFacts["preferred"] =>
    (terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      weight: sign * weight,
      term: podTermOf(podAffinityTerm, self),
    }));
  return {
    key: keyOf(pod),
    uid,
    namespace,
    name,
    labels,
    priority: spec.priority ?? 0,
    mayPreempt: spec.preemptionPolicy !== "Never",
    startedAt: parseTime(status?.startTime ?? "") ?? Infinity,
    terminating: metadata.deletionTimestamp !== undefined,
    gated: ((spec as { schedulingGates?: unknown[] }).schedulingGates ?? []).length > 0,
    reported: reportOf(pod),
    requests,
    claims: (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    weighed: { cpu: requests.get("cpu") || defaultCpu, memory: requests.get("memory") || defaultMemory },
    tolerations: spec.tolerations ?? [],
    nodes: nodeConstraintsOf(spec),
    nodeName: spec.nodeName ?? "",
    nominatedNode: status?.nominatedNodeName ?? "",
    ports: hostPorts(spec),
    affinity: termsOf(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: termsOf(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: [...preferring(podAffinity, 1), ...preferring(podAntiAffinity, -1)],
    spread: spreadOf(spec, self),
  };
}

function reportOf({ status }: Pod): PodFacts["reported"] {
  const condition = findCondition(status?.conditions, "PodScheduled");
  return condition && { reason: condition.reason ?? "", message: condition.message ?? "" };
}

type Spec = NonNullable<Pod["spec"]>;

function hostPorts(spec: Spec): HostPort[] {
  const containers = [
    ...spec.containers,
    ...(spec.initContainers ?? []).filter((one) => (one as { restartPolicy?: string }).restartPolicy === "Always"),
  ];
  return containers.flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || "0.0.0.0", protocol: protocol ?? "TCP", port: hostPort }] : [],
    ),
  );
}

/** Fields that `kubernetes-types` does not have yet. */
interface NewerConstraint {
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
}

function spreadOf(
  spec: Spec,
  self: { namespace: string; labels: Readonly<Record<string, string>> },
): SpreadConstraint[] {
  return (spec.topologySpreadConstraints ?? []).map((constraint) => {
    const newer: NewerConstraint = constraint;
    return {
      query: podQuery({
        selector: withKeys(selectorOf(constraint.labelSelector), self.labels, newer.matchLabelKeys),
        namespaces: [self.namespace],
        countsTerminating: false,
      }),
      topologyKey: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      minDomains: newer.minDomains ?? 1,
      hard: constraint.whenUnsatisfiable === "DoNotSchedule",
      honoursAffinity: newer.nodeAffinityPolicy !== "Ignore",
      honoursTaints: newer.nodeTaintsPolicy === "Honor",
    };
  });
}

/** Whether two host ports cannot be on one node. */
export function portsCollide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === "0.0.0.0" || b.ip === "0.0.0.0";
}

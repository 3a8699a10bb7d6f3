import type { Toleration } from "kubernetes-types/core/v1.js";
import { findCondition } from "../../../../language/object/condition.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { parseTime } from "../../../../language/object/time.ts";
import type { Pod } from "../workload-objects.ts";
import { type NodeConstraints, nodeConstraintsOf } from "./node-affinity.ts";
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
  /** Nodes that the pod may not use for their labels, or their taints, are not looked at. */
  honoursAffinity: boolean;
  honoursTaints: boolean;
}

/** What of a pod scheduling asks, read once. */
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
  /** `spec.schedulingGates` hold it back. */
  gated: boolean;
  /** What its status says about its being scheduled. */
  reported: { reason: string; message: string } | undefined;
  requests: ResourceAmounts;
  /** What counts for the balance between nodes: a pod that asks for nothing is not nothing. */
  weighed: { cpu: number; memory: number };
  tolerations: readonly Toleration[];
  nodes: NodeConstraints;
  /** `spec.nodeName`, or where it was assumed to be. */
  nodeName: string;
  /** Where a preemption makes room for it. */
  nominatedNode: string;
  ports: readonly HostPort[];
  affinity: readonly PodTerm[];
  antiAffinity: readonly PodTerm[];
  /** Negative weights keep away. */
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
  const preferring = (wishes: typeof podAffinity | typeof podAntiAffinity, sign: 1 | -1): PodFacts["preferred"] =>
    (wishes?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
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

/** Fields that the types of older servers lack. */
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

/** Whether two ports on one node are the same to whoever connects. */
export function portsCollide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === "0.0.0.0" || b.ip === "0.0.0.0";
}

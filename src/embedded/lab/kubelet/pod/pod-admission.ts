import type { kinds } from "../../../../cluster/kube/kinds.ts";
import { mayRunOn, nodeConstraintsOf } from "../../../../language/object/scheduling/node-affinity.ts";
import { amountsOf, podRequests, type ResourceAmounts } from "../../workloads/scheduler/resource-amounts.ts";

export type Pod = NonNullable<(typeof kinds.pod)["object"]>;

export interface AdmissionInput {
  readonly pod: Pod;
  /** The requests of the pods that run on the node. */
  readonly others: readonly ResourceAmounts[];
  readonly node: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly allocatable: Readonly<Record<string, string>>;
}

export type Admission = { type: "admitted" } | { type: "rejected"; reason: string; message: string };

/** The kubelet's admission of a pod that was bound to its node: the scheduler may have decided on an older state. */
export function admitPod({ pod, others, node, allocatable }: AdmissionInput): Admission {
  const spec = pod.spec ?? { containers: [] };
  const os = (spec as { os?: { name: string } }).os?.name ?? "linux";
  if (os !== "linux") return rejected("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS");
  const requests = podRequests(spec);
  for (const [resource, capacity] of amountsOf(allocatable)) {
    const wants = resource === "pods" ? 1 : (requests.get(resource) ?? 0);
    if (wants === 0) continue;
    const used = resource === "pods" ? others.length : sumOf(others, resource);
    if (used + wants > capacity)
      return rejected(
        `OutOf${resource}`,
        `Node didn't have enough resource: ${resource}, requested: ${wants}, used: ${used}, capacity: ${capacity}`,
      );
  }
  if (!mayRunOn(nodeConstraintsOf(spec), node))
    return rejected("NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
  return { type: "admitted" };
}

function sumOf(all: readonly ResourceAmounts[], resource: string): number {
  let sum = 0;
  for (const amounts of all) sum += amounts.get(resource) ?? 0;
  return sum;
}

function rejected(reason: string, message: string): Admission {
  return { type: "rejected", reason, message };
}

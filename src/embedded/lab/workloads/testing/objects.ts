import type { PodSpec } from "kubernetes-types/core/v1.js";
import type { ObjectMeta } from "../../../../language/object/meta.ts";
import type { Node, Pod } from "../workload-objects.ts";

type NodeSpec = NonNullable<Node["spec"]>;

/** A ready node with 4 CPUs and 8 GiB, unless overridden. */
export function testNode(
  name: string,
  {
    labels,
    resources,
    conditions,
    ...spec
  }: NodeSpec & {
    labels?: Record<string, string>;
    resources?: Record<string, string>;
    conditions?: NonNullable<Node["status"]>["conditions"];
  } = {},
): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...resources },
      conditions: conditions ?? [{ type: "Ready", status: "True" }],
    },
  };
}

/** A pending pod with one container without requests, unless overridden. */
export function testPod(
  name: string,
  {
    requests,
    meta,
    status,
    ...spec
  }: Partial<PodSpec> & {
    requests?: Record<string, string>;
    meta?: Partial<ObjectMeta>;
    status?: Pod["status"];
  } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...meta },
    spec: { containers: [{ name: "main", image: "i", ...(requests && { resources: { requests } }) }], ...spec },
    status: status ?? { phase: "Pending" },
  };
}

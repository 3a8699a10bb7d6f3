import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, type MachineConfig, roleLabel } from "../../src/domain/machine-config/api.ts";

export function worker(name: string): never {
  const labels = { "kubernetes.io/os": "linux", "node-role.kubernetes.io/worker": "" };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } } as never;
}

/** A MachineConfig of the pool worker. */
export function withFile(name: string, path: string, text = "hello"): MachineConfig {
  const files = [{ path, mode: 0o644, contents: { source: `data:,${text}` } }];
  const config = { ignition: { version: "3.2.0" }, storage: { files } };
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: "worker" } }, spec: { config } };
}

/** Writes what the agent of a node would. */
export async function report(client: Client, node: string, annotations: Record<string, string | null>): Promise<void> {
  await client.patch(kinds.node, node, { type: "merge", patch: { metadata: { annotations } } });
}

export function podOn(nodeName: string, metadata: object): never {
  const containers = [{ name: "c", image: "i" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { nodeName, terminationGracePeriodSeconds: 0, containers },
  } as never;
}

/** A running pod `held`, and the PodDisruptionBudget `db` that allows no eviction of it. */
export async function createHeldPod(client: Client, namespace: string, node: string): Promise<void> {
  const labels = { app: "db" };
  await client.create(kinds.pod, podOn(node, { name: "held", namespace, labels }));
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await client.patch(kinds.pod, "held", mergeOf({ status: ready }), { namespace, subresource: "status" });
  await client.create(kinds.podDisruptionBudget, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "db", namespace },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  // What the controller of budgets would write, which tests without a lab do not run.
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 0,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
  };
  await client.patch(kinds.podDisruptionBudget, "db", mergeOf({ status }), { namespace, subresource: "status" });
}

function mergeOf(patch: object): { type: "merge"; patch: object } {
  return { type: "merge", patch };
}

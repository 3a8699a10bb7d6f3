import { setTimeout as delay } from "node:timers/promises";
import { isConflict, isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { formatTime } from "../../src/language/object/time.ts";

const NODE = "n";
const PAUSE_MS = 200;

type Pod = KubeObject & {
  spec: { nodeName?: string; restartPolicy?: string };
  status: { phase?: string };
};

/**
 * A ready node with a minimal scheduler and kubelet: every pod is bound to it and runs, pods without restarts succeed, and
 * deleted pods are removed.
 */
export async function playOneNode(client: HttpClient, signal: AbortSignal): Promise<void> {
  await client.raw("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
  for (let turn = 0; !signal.aborted; turn++) {
    if (turn % 20 === 0) await beat(client);
    const { items } = (await client.raw("GET", "/api/v1/pods")) as { items: Pod[] };
    for (const pod of items)
      await play(client, pod, items.indexOf(pod)).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
    await delay(PAUSE_MS);
  }
}

async function beat(client: HttpClient): Promise<void> {
  const now = formatTime(Date.now());
  const ready = { type: "Ready", status: "True", reason: "Played", lastHeartbeatTime: now, lastTransitionTime: now };
  const status = { conditions: [ready], allocatable: { pods: "110" }, capacity: { pods: "110" } };
  await client.patch(kinds.node, NODE, { type: "merge", patch: { status } }, { subresource: "status" });
}

async function play(client: HttpClient, pod: Pod, index: number): Promise<void> {
  const { metadata, spec, status } = pod;
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp) {
    // The uid is a precondition: never another pod of the same name.
    const preconditions = { uid: metadata.uid };
    await client.raw("DELETE", path, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0, preconditions });
  } else if (!spec.nodeName)
    await client.raw("POST", `${path}/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: metadata.name },
      target: { kind: "Node", name: NODE },
    });
  else if (status.phase === "Pending") {
    const patch = { status: spec.restartPolicy === "Always" ? running(index) : { phase: "Succeeded" } };
    const { name = "", namespace } = metadata;
    await client.patch(kinds.pod, name, { type: "merge", patch }, { namespace, subresource: "status" });
  }
}

function running(index: number): object {
  const ip = `10.0.0.${index + 1}`;
  const lastTransitionTime = formatTime(Date.now());
  return {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: "True", lastTransitionTime }],
  };
}

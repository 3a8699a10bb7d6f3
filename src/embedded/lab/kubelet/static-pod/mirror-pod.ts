import { isObject } from "../../../../language/object/json.ts";
import { hashText } from "../../../../language/object/hash.ts";
import { formatTime } from "../../../../language/object/time.ts";
import type { VirtualNode } from "../node/virtual-node.ts";
import type { Pod } from "../pod/pod-admission.ts";
import { rewriteStaticPod } from "./rewrite-static-pod.ts";

const mirror = "kubernetes.io/config.mirror";

export type StaticPod =
  | { readonly type: "pod"; readonly pod: Pod; readonly hash: string; readonly note?: string | undefined }
  | { readonly type: "invalid"; readonly message: string };

/** A pod of a manifest of this node, named as its kubelet names it, and rewritten where the node is partitioned. */
export function staticPod(manifest: unknown, text: string, node: VirtualNode): StaticPod {
  if (!isPod(manifest)) return { type: "invalid", message: "not a Pod with a name and containers" };
  const named: Pod = {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      name: `${manifest.metadata.name}-${node.name}`,
      namespace: manifest.metadata.namespace ?? "default",
    },
  };
  const partitioned = node.kubelet?.partitioned === true;
  const hash = hashText(`${partitioned}\n${text}`);
  const rewritten = partitioned ? rewriteStaticPod(named) : { type: "unmanaged" as const };
  if (rewritten.type === "error")
    return { type: "pod", pod: named, hash, note: `container ${rewritten.container}: ${rewritten.code}` };
  return { type: "pod", pod: rewritten.type === "modified" ? rewritten.pod : named, hash };
}

/** As far as it is used here; the API server validates the rest. */
function isPod(manifest: unknown): manifest is Pod {
  if (!isObject(manifest) || manifest["kind"] !== "Pod") return false;
  const { metadata, spec } = manifest;
  if (!isObject(metadata) || typeof metadata["name"] !== "string" || !isObject(spec)) return false;
  const { containers, initContainers = [] } = spec;
  return [containers, initContainers].every((list) => Array.isArray(list) && list.every(isObject));
}

/** The object that shows a static pod to the API server. */
export function mirrorPod(
  { pod, hash }: StaticPod & { type: "pod" },
  node: { name: string; uid: string },
  now: number,
): Pod {
  const { metadata, spec } = pod;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        "kubernetes.io/config.source": "file",
        "kubernetes.io/config.seen": formatTime(now),
        "kubernetes.io/config.hash": hash,
        [mirror]: hash,
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid, controller: true }],
    },
    // As the kubelet does: a static pod stays on a node that is not ready.
    spec: {
      ...spec!,
      nodeName: node.name,
      tolerations: [...(spec?.tolerations ?? []), { operator: "Exists", effect: "NoExecute" }],
    },
  };
}

/** Undefined for a pod of the API server. */
export function mirroredHash({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[mirror];
}

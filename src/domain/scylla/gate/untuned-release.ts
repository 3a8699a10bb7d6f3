import type { ScyllaNodeConfig } from "../api.ts";
import { configOfNode, isEnabled, type PlacedNode } from "../placement.ts";
import { isScyllaPod, isTunable, type ScyllaPod } from "../scylla-pod.ts";
import { isSidecar } from "./gated-pod.ts";
import { type ConfigMap, releaseConfigMap } from "./release.ts";
import { sidecarCommand } from "./sidecar.ts";

/** Who lets a database start. */
export type Responsibility =
  | { readonly by: "agent"; readonly config: string }
  /** No agent tunes for it, so the operator does. */
  | { readonly by: "operator"; readonly because: string; readonly release: ConfigMap }
  /** It has no node yet, or has ended. */
  | { readonly by: "none" };

export interface ResponsibilityInput {
  readonly pod: ScyllaPod;
  /** Of the pod. Undefined: not known yet. */
  readonly node: PlacedNode | undefined;
  readonly configs: readonly ScyllaNodeConfig[];
}

const none: Responsibility = { by: "none" };

/** Pods that wait for a node, or whose containers have no status yet, are no errors. */
export function responsibilityFor({ pod, node, configs }: ResponsibilityInput): Responsibility {
  if (!isScyllaPod(pod) || hasEnded(pod) || !node || !pod.spec?.nodeName) return none;
  const { name: nodeName = "" } = node.metadata;
  const config = configOfNode(node, configs);
  if (!config) return released(`no ScyllaNodeConfig selects node ${nodeName}`);
  const { name = "" } = config.metadata;
  if (!isEnabled(config)) return released(`ScyllaNodeConfig ${name} has optimizations disabled`, name);
  // The API server sets it when it creates a pod.
  if (pod.status?.qosClass === undefined) return none;
  if (!isTunable(pod))
    return released(`the pod has no CPUs of its own: its QoS class is ${pod.status.qosClass}, not Guaranteed`, name);
  return { by: "agent", config: name };

  function released(because: string, label?: string): Responsibility {
    return { by: "operator", because, release: releaseConfigMap(pod, { outcome: `skipped: ${because}` }, label) };
  }
}

function hasEnded({ metadata, status }: ScyllaPod): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The fields of a pod by which it is decided, and by which is seen that a container starts again. */
export function projectScyllaPod(pod: ScyllaPod): ScyllaPod | undefined {
  if (!isScyllaPod(pod)) return undefined;
  const { apiVersion, kind, metadata, spec, status } = pod;
  const { name, namespace, uid, resourceVersion, labels, ownerReferences, creationTimestamp, deletionTimestamp } =
    metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      labels,
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
    spec: {
      ...(spec?.nodeName ? { nodeName: spec.nodeName } : {}),
      ...(spec?.serviceAccountName ? { serviceAccountName: spec.serviceAccountName } : {}),
      containers: (spec?.containers ?? []).map((container) =>
        isSidecar(container)
          ? { name: container.name, image: container.image ?? "", command: [...sidecarCommand] }
          : { name: container.name },
      ),
    },
    status: {
      ...(status?.phase ? { phase: status.phase } : {}),
      ...(status?.qosClass ? { qosClass: status.qosClass } : {}),
      conditions: (status?.conditions ?? [])
        .filter(({ type }) => type === "Ready")
        .map(({ type, status: state }) => ({ type, status: state })),
      containerStatuses: (status?.containerStatuses ?? []).map((container) => ({
        name: container.name,
        ...(container.containerID ? { containerID: container.containerID } : {}),
        ...(container.ready === undefined ? {} : { ready: container.ready }),
        ...(container.state?.running ? { state: { running: {} } } : {}),
      })),
    },
  };
}

import { hashOf } from "../../../language/object/hash.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { HostedCluster } from "../api.ts";

/** A Secret, as far as it is read here. */
export interface KubeconfigSecret extends KubeObject {
  /** In base64. */
  data?: Record<string, string> | undefined;
}

/** With which the operator and this process reach a hosted cluster. */
export interface HostedKubeconfig {
  /** For this process. */
  readonly text: string;
  /** The Secret of the control plane namespace that the operator mounts. */
  readonly secret: string;
  /** That Secret, where it has to be written. */
  readonly copy?: KubeObject | undefined;
  /** Changes with the content, so that the operator starts again. */
  readonly digest: string;
  /** Where it was read, for messages. */
  readonly from: string;
}

export type KubeconfigRead =
  | { readonly type: "kubeconfig"; readonly kubeconfig: HostedKubeconfig }
  | { readonly type: "problem"; readonly reason: string; readonly message: string };

/** Written by HyperShift: for components of the control plane, by which they reach the API server beside them. */
export const serviceNetworkSecret = "service-network-admin-kubeconfig";
const copyName = "attune-hosted-kubeconfig";
const key = "kubeconfig";

export interface KubeconfigInput {
  readonly hostedCluster: HostedCluster;
  readonly controlPlane: string;
  /** What `status.kubeconfig` of the HostedCluster, or else `spec.kubeconfig`, names. */
  readonly given: KubeconfigSecret | undefined;
  /** Of HyperShift, in the control plane namespace. */
  readonly beside: KubeconfigSecret | undefined;
}

export function kubeconfigName({ spec, status }: HostedCluster): string {
  return status?.kubeconfig?.name ?? spec?.kubeconfig?.name ?? "";
}

/** A pod mounts Secrets of its own namespace only, so the users' one is copied where there is no other. */
export function kubeconfigOf({ hostedCluster, controlPlane, given, beside }: KubeconfigInput): KubeconfigRead {
  const { namespace } = hostedCluster.metadata;
  const name = kubeconfigName(hostedCluster);
  if (name === "") return missing("neither status.kubeconfig nor spec.kubeconfig names a Secret");
  const from = `Secret ${namespace}/${name}`;
  if (!given) return missing(`${from} does not exist`);
  const data = given.data?.[key];
  if (data === undefined) return missing(`${from} has no key ${key}`);
  const own = { from, text: decoded(data), digest: hashOf([data, beside?.data ?? {}]) };
  if (beside?.data?.[key] !== undefined)
    return { type: "kubeconfig", kubeconfig: { ...own, secret: serviceNetworkSecret } };
  const copy: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: copyName, namespace: controlPlane },
    type: "Opaque",
    data: { [key]: data },
  };
  return { type: "kubeconfig", kubeconfig: { ...own, secret: copyName, copy } };
}

function missing(message: string): KubeconfigRead {
  return { type: "problem", reason: "KubeconfigMissing", message };
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)));
  } catch {
    // The API server accepts nothing but base64: the reader of the kubeconfig then says that it is malformed.
    return "";
  }
}

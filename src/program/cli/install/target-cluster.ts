import { setMaxListeners } from "node:events";
import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { monitoringApiVersion } from "../../operator/monitoring.ts";

/** What matters of the cluster that Attune is installed on. */
export interface TargetCluster {
  /** Whether the cluster has the kinds of the Prometheus operator. */
  readonly monitoring: boolean;
  /** Whether it is OpenShift, whose service CA issues certificates for Services. */
  readonly isOpenShift: boolean;
  readonly admissionPolicies: boolean;
  /** Whether Attune installed the CRDs of machine configuration, and so updates them. */
  readonly machineConfigsAreOurs: boolean;
  /** Existing CRDs and namespaces without a label of Attune: `Kind name`. */
  readonly foreign: ReadonlySet<string>;
}

/** Reads the cluster; changes nothing. */
export async function readTarget(
  client: Client,
  manifests: readonly KubeObject[],
  signal: AbortSignal,
): Promise<TargetCluster> {
  // All requests run at the same time, and each adds a listener to the signal.
  setMaxListeners(0, signal);
  const discovery = new Discovery(client);
  const has = async (apiVersion: string, kind: string): Promise<boolean> =>
    (await discovery.kind(apiVersion, kind, { signal })) !== undefined;
  const shared = [...manifests, ...machineConfigCrds].filter(
    ({ kind }) => kind === "Namespace" || kind === "CustomResourceDefinition",
  );
  const found = await Promise.all(shared.map((object) => observed(client, object, signal)));
  const names = (ours: boolean): string[] =>
    found.flatMap((object) => (object && isOurs(object.metadata) === ours ? [nameOf(object)] : []));
  const [monitoring, isOpenShift, admissionPolicies] = await Promise.all([
    has(monitoringApiVersion, "ServiceMonitor"),
    has("config.openshift.io/v1", "ClusterVersion"),
    has("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
  ]);
  return {
    monitoring,
    isOpenShift,
    admissionPolicies,
    machineConfigsAreOurs: machineConfigCrds.some((crd) => names(true).includes(nameOf(crd))),
    foreign: new Set(names(false)),
  };
}

/** The manifests for this cluster, and notes about those that were left out. */
export function forTarget(
  manifests: readonly KubeObject[],
  target: Pick<TargetCluster, "admissionPolicies" | "foreign">,
): { readonly objects: KubeObject[]; readonly notes: string[] } {
  const notes: string[] = [];
  const objects = manifests.filter((object) => {
    if (target.foreign.has(nameOf(object))) {
      notes.push(`${nameOf(object)}: left unchanged, it was not created by Attune`);
      return false;
    }
    return target.admissionPolicies || !object.kind.startsWith("ValidatingAdmissionPolicy");
  });
  if (!target.admissionPolicies)
    notes.push(
      "the cluster has no ValidatingAdmissionPolicy: agents are not limited to the Profile of their own node, nor the webhook to the kinds it reviews",
    );
  return { objects, notes };
}

async function observed(
  client: Client,
  { kind, metadata: { name = "" } }: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const ref: KindRef = kind === "Namespace" ? kinds.namespace : kinds.customResourceDefinition;
  try {
    return { ...(await client.get(ref, name, { signal })), kind };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { isApiError, isNotFound } from "../../src/cluster/kube/api-error.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import { workloadPartitioningCrds } from "../../src/domain/workload-partitioning/crds.ts";
import { infrastructureKind, partitioningConfigMap } from "../../src/domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { eventually } from "../node-tuning/eventually.ts";
import type { PartitionedOptions } from "./partitioned-cluster.ts";

export type InstallMode = PartitionedOptions["mode"];

/** As the installer does, before there are policies that keep the mode. */
export async function identify(
  admin: HttpClient,
  mode: InstallMode,
  status: PartitionedOptions["status"],
): Promise<void> {
  if (mode === "plain") {
    const { name, namespace: within } = partitioningConfigMap;
    const data: Record<string, string> = { ...status };
    await admin.create(kinds.namespace, namespaceWith(within, {}));
    await admin.create(kinds.configMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: within },
      data,
    });
    return;
  }
  const name = "cluster";
  await applyManifests(admin, workloadPartitioningCrds);
  await eventually("Infrastructures are served", () => admin.list(infrastructureKind));
  await admin.create(infrastructureKind, {
    apiVersion: infrastructureKind.apiVersion,
    kind: "Infrastructure",
    metadata: { name },
    spec: {},
  });
  await admin.patch(infrastructureKind, name, { type: "merge", patch: { status } }, { subresource: "status" });
}

/** Of a suite's cluster that is partitioned already: deletes the ConfigMap, and first the policy that keeps it. */
export async function forgetMode(admin: Client): Promise<void> {
  const { name, namespace } = partitioningConfigMap;
  await eventually("the mode is forgotten", async () => {
    for (const [kind, options] of [
      [policyBindings, {}],
      [kinds.configMap, { namespace }],
    ] as const)
      await admin.delete(kind as typeof kinds.configMap, name, options).catch(unlessGone);
    return admin.get(kinds.configMap, name, { namespace }).then(
      () => false,
      (error: unknown) => isNotFound(error),
    );
  });
}

const policyBindings = untyped(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  false,
);

/** While an API server still has the policy, it refuses. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error) && !(isApiError(error) && error.code === 422)) throw error;
}

export function namespaceWith(name: string, annotations: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, annotations } };
}

import { tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import type { KubeObject, OwnerReference } from "../../src/language/object/meta.ts";

/** Objects that the operator which Attune replaces leaves on a cluster. */
export const shippedDaemonSet: KubeObject = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "tuned", namespace, labels: { "openshift-app": "tuned" } },
  spec: {
    selector: { matchLabels: { "openshift-app": "tuned" } },
    template: {
      metadata: { labels: { "openshift-app": "tuned", name: "tuned" } },
      spec: {
        serviceAccountName: "tuned",
        containers: [
          {
            name: "tuned",
            image: "shipped:1",
            env: [{ name: "RELEASE_VERSION", value: "1" }],
            volumeMounts: [{ name: "etc", mountPath: "/etc/tuned" }],
          },
        ],
        volumes: [{ name: "etc", emptyDir: {} }],
      },
    },
  },
};

export function shippedDeployment(replicas: number): KubeObject {
  const labels = { name: "cluster-node-tuning-operator" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "cluster-node-tuning-operator", namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "operator", image: "shipped:1" }] } },
    },
  };
}

/** Its client writes empty fields too. */
export function shippedMachineConfig(pool: string, kernelArguments: string[], generatedAnnotation: string): KubeObject {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: {
      name: `50-nto-${pool}`,
      labels: { "machineconfiguration.openshift.io/role": pool },
      annotations: { [generatedAnnotation]: "v4.22.0" },
    },
    spec: {
      baseOSExtensionsContainerImage: "",
      config: null,
      extensions: null,
      fips: false,
      kernelArguments,
      kernelType: "",
      osImageURL: "",
    },
  };
}

/** The owner of its Profiles. */
export function shippedOwner(uid = ""): OwnerReference {
  const { apiVersion, kind } = tunedKind;
  return { apiVersion, kind, name: "default", uid, controller: true, blockOwnerDeletion: true };
}

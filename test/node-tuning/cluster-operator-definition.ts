import type { KubeObject } from "../../src/language/object/meta.ts";

/** A minimal definition. Attune never installs it: other programs would take the cluster for OpenShift. */
function openShiftDefinition(kind: string): KubeObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.config.openshift.io` },
    spec: {
      group: "config.openshift.io",
      scope: "Cluster",
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object" },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
          subresources: { status: {} },
        },
      ],
    },
  };
}

export const clusterOperatorDefinition = openShiftDefinition("ClusterOperator");

/** Of the singletons that PerformanceProfiles depend on. */
export const configurationDefinitions = [openShiftDefinition("Infrastructure"), openShiftDefinition("FeatureGate")];

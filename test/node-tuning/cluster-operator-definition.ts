import type { KubeObject } from "../../src/language/object/meta.ts";

/** A minimal definition. Attune never installs it: other programs would take the cluster for OpenShift. */
export const clusterOperatorDefinition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusteroperators.config.openshift.io" },
  spec: {
    group: "config.openshift.io",
    scope: "Cluster",
    names: {
      kind: "ClusterOperator",
      listKind: "ClusterOperatorList",
      plural: "clusteroperators",
      singular: "clusteroperator",
    },
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

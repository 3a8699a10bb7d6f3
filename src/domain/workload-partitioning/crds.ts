import { customDefinition } from "../../language/object/custom-definition.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Schema } from "../../language/schema/schema.ts";
import {
  controlPlaneTopologies,
  infrastructureKind,
  infrastructureTopologies,
  partitioningModes,
} from "./identifier.ts";

function choice(values: readonly string[], description: string): Schema {
  const [fallback = ""] = values;
  return { type: "string", enum: [...values], default: fallback, description };
}

const before = "oldSelf.status.cpuPartitioning";
const after = "self.status.cpuPartitioning";
/** The one change that a running cluster may make: of a single node that was partitioned before this field existed. */
const isMigration = [
  `${before} == 'None'`,
  ...["oldSelf", "self"].map((side) => `${side}.status.?controlPlaneTopology.orValue('') == 'SingleReplica'`),
].join(" && ");

const schema: Schema = {
  type: "object",
  required: ["spec"],
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    status: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: {
        cpuPartitioning: choice(
          partitioningModes,
          "Whether all nodes of the cluster are set up for CPU partitioning. Decided when the cluster is installed.",
        ),
        controlPlaneTopology: choice(controlPlaneTopologies, "How control plane components may expect to run."),
        infrastructureTopology: choice(
          infrastructureTopologies,
          "How other components of the platform may expect to run.",
        ),
      },
    },
  },
  "x-kubernetes-validations": [
    { rule: "self.metadata.name == 'cluster'", message: "the only Infrastructure is named cluster" },
    {
      rule: `!has(oldSelf.status) || !has(${before}) || (has(self.status) && has(${after}) && (${after} == ${before} || (${isMigration})))`,
      message:
        "status.cpuPartitioning is decided when a cluster is installed: it cannot be changed afterwards; install a new cluster with the other mode",
    },
  ],
};

/** For clusters whose API server does not have the kind: OpenShift has its own. */
export const workloadPartitioningCrds: readonly KubeObject[] = [
  customDefinition({
    group: "config.openshift.io",
    kind: infrastructureKind.kind,
    plural: infrastructureKind.plural,
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Partitioning", type: "string", jsonPath: ".status.cpuPartitioning" },
          { name: "ControlPlane", type: "string", jsonPath: ".status.controlPlaneTopology" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ],
  }),
];

import { machineDeploymentKind, machineKind, machineSetKind } from "../../../../domain/node-pool/cluster-api.ts";
import { customDefinition } from "../../../../language/object/custom-definition.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };

/** Those of its kinds that NodePools need. */
export const clusterApiCrds: readonly KubeObject[] = [machineDeploymentKind, machineSetKind, machineKind].map(
  ({ apiVersion, kind, plural }) => {
    const [group = "", name = ""] = apiVersion.split("/");
    const version = { name, served: true, storage: true, schema, subresources: { status: {} } };
    return customDefinition({ group, kind, plural, scope: "Namespaced", versions: [version] });
  },
);

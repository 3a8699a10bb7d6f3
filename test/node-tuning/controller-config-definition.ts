import { controllerConfigKind } from "../../src/domain/machine-config/api.ts";
import { customDefinition } from "../../src/language/object/custom-definition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

/** Of the machine config operator. Attune never installs it. */
export const controllerConfigDefinition: KubeObject = customDefinition({
  group: "machineconfiguration.openshift.io",
  kind: controllerConfigKind.kind,
  plural: controllerConfigKind.plural,
  scope: "Cluster",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
  ],
});

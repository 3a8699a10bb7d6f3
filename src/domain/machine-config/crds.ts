import { customDefinition } from "../../language/object/custom-definition.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { group } from "./api.ts";

interface Column {
  name: string;
  type: string;
  jsonPath: string;
}

/** Unknown fields are kept: these kinds belong to the machine config operator, which has more fields. */
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function definition(kind: string, plural: string, shortNames: string[], columns: Column[]): KubeObject {
  return customDefinition({
    group,
    kind,
    plural,
    scope: "Cluster",
    shortNames,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } },
        },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      },
    ],
  });
}

const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function poolCondition(name: string): Column {
  return { name, type: "string", jsonPath: `.status.conditions[?(@.type=="${name}")].status` };
}

/** For clusters without the machine config operator. */
export const machineConfigCrds: readonly KubeObject[] = [
  definition(
    "MachineConfig",
    "machineconfigs",
    ["mc"],
    [
      {
        name: "GeneratedByController",
        type: "string",
        jsonPath: ".metadata.annotations['machineconfiguration\\.openshift\\.io/generated-by-controller-version']",
      },
      { name: "IgnitionVersion", type: "string", jsonPath: ".spec.config.ignition.version" },
      age,
    ],
  ),
  definition(
    "MachineConfigPool",
    "machineconfigpools",
    ["mcp"],
    [
      { name: "Config", type: "string", jsonPath: ".status.configuration.name" },
      ...["Updated", "Updating", "Degraded"].map(poolCondition),
      { name: "MachineCount", type: "integer", jsonPath: ".status.machineCount" },
      { name: "ReadyMachineCount", type: "integer", jsonPath: ".status.readyMachineCount" },
      age,
    ],
  ),
  definition("KubeletConfig", "kubeletconfigs", [], [age]),
  definition("ContainerRuntimeConfig", "containerruntimeconfigs", ["ctrcfg"], [age]),
];

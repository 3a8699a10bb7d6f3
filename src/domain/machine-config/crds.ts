import { customDefinition } from "../../language/object/custom-definition.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import type { Schema } from "../../language/schema/schema.ts";
import {
  containerRuntimeConfigKind,
  group,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "./api.ts";
import {
  containerRuntimeConfigSchema,
  kubeletConfigSchema,
  machineConfigPoolSchema,
  machineConfigSchema,
} from "./schemas.ts";

interface Column {
  name: string;
  type: string;
  jsonPath: string;
}

interface Kind {
  ref: KindRef;
  schema: Schema;
  shortNames?: string[];
  columns: Column[];
}

function definition({ ref: { kind, plural }, schema, shortNames = [], columns }: Kind): KubeObject {
  const hasStatus = schema.properties?.["status"] !== undefined;
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
        schema: { openAPIV3Schema: schema },
        ...(hasStatus ? { subresources: { status: {} } } : {}),
        additionalPrinterColumns: [...columns, age],
      },
    ],
  });
}

const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function conditionStatus(name: string): Column {
  return { name, type: "string", jsonPath: `.status.conditions[?(@.type=="${name}")].status` };
}

/** Of a KubeletConfig or ContainerRuntimeConfig. */
const outcome = ["Accepted", "Conflicting"].map(conditionStatus);

function poolCount(name: string): Column {
  return { name, type: "integer", jsonPath: `.status.${name.charAt(0).toLowerCase()}${name.slice(1)}` };
}

/** For clusters without the machine config operator. */
export const machineConfigCrds: readonly KubeObject[] = [
  definition({
    ref: machineConfigKind,
    schema: machineConfigSchema,
    shortNames: ["mc"],
    columns: [
      {
        name: "GeneratedByController",
        type: "string",
        jsonPath: ".metadata.annotations['machineconfiguration\\.openshift\\.io/generated-by-controller-version']",
      },
      { name: "IgnitionVersion", type: "string", jsonPath: ".spec.config.ignition.version" },
    ],
  }),
  definition({
    ref: machineConfigPoolKind,
    schema: machineConfigPoolSchema,
    shortNames: ["mcp"],
    columns: [
      { name: "Config", type: "string", jsonPath: ".status.configuration.name" },
      ...["Updated", "Updating", "Degraded"].map(conditionStatus),
      ...["MachineCount", "ReadyMachineCount", "UpdatedMachineCount", "DegradedMachineCount"].map(poolCount),
    ],
  }),
  definition({ ref: kubeletConfigKind, schema: kubeletConfigSchema, columns: outcome }),
  definition({
    ref: containerRuntimeConfigKind,
    schema: containerRuntimeConfigSchema,
    shortNames: ["ctrcfg"],
    columns: outcome,
  }),
];

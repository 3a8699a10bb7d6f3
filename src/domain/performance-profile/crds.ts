import { customDefinition } from "../../language/object/custom-definition.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { group, performanceProfileKind } from "./api.ts";
import { conversionAnnotation } from "./conversion/conversion-data.ts";
import { schemas, type Version } from "./schemas.ts";

interface Column {
  name: string;
  type: string;
  jsonPath: string;
  /** Above 0: with `-o wide` only. */
  priority?: number;
}

const condition = (type: string): Column => ({
  name: type,
  type: "string",
  jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
});

const columns: Column[] = [
  { name: "Reserved", type: "string", jsonPath: ".spec.cpu.reserved" },
  { name: "Isolated", type: "string", jsonPath: ".spec.cpu.isolated" },
  condition("Available"),
  condition("Progressing"),
  condition("Degraded"),
  { name: "Tuned", type: "string", jsonPath: ".status.tuned", priority: 1 },
  { name: "RuntimeClass", type: "string", jsonPath: ".status.runtimeClass", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

const { kind, plural } = performanceProfileKind;

function version(name: Version): object {
  const older = {
    deprecated: true,
    deprecationWarning: `${group}/${name} ${kind} is deprecated, use ${group}/v2; fields that ${name} does not have are kept in the annotation ${conversionAnnotation}`,
  };
  return {
    name,
    served: true,
    storage: name === "v2",
    ...(name === "v2" ? {} : older),
    schema: { openAPIV3Schema: schemas[name] },
    subresources: { status: {} },
    additionalPrinterColumns: columns,
  };
}

/** Add the conversion webhook before installing it: without one, the API server drops fields that a version does not have. */
export const performanceProfileCrds: readonly KubeObject[] = [
  customDefinition({
    group,
    kind,
    plural,
    scope: "Cluster",
    versions: (Object.keys(schemas) as Version[]).map(version),
  }),
];

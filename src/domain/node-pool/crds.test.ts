import { describe, expect, it } from "vitest";
import { checkStructural } from "../../language/schema/structural.ts";
import type { Schema } from "../../language/schema/schema.ts";
import { pruneUnknown } from "../../language/schema/prune.ts";
import { compileRules } from "../../language/schema/validate-rules.ts";
import { validateSchema } from "../../language/schema/validate.ts";
import { nodePoolCrds } from "./crds.ts";

const schemas = nodePoolCrds.map((crd): [string, Schema] => {
  const { names, versions } = crd["spec"] as {
    names: { kind: string };
    versions: [{ schema: { openAPIV3Schema: Schema } }];
  };
  return [names.kind, versions[0].schema.openAPIV3Schema];
});

describe.each(schemas)("the CRD of %s", (_, schema) => {
  it("has a schema that an API server accepts", () => {
    expect(checkStructural(schema, "schema")).toEqual([]);
    expect(compileRules(schema)).not.toHaveProperty("errors");
  });

  it("keeps fields that Attune does not know", () => {
    const object = { spec: { clusterName: "c", platform: { aws: { x: 1 } }, x: { y: [1] } }, status: { z: 1 } };
    expect(pruneUnknown(object, schema, { root: true })).toEqual([]);
  });
});

it.each<[string, object, string[]]>([
  ["three lists of references", { tuningConfig: [{ name: "a" }], tunedConfig: null, performanceProfileConfig: [] }, []],
  ["a percentage", { management: { upgradeType: "InPlace", inPlace: { maxUnavailable: "10%" } } }, []],
  ["eleven references", { tunedConfig: Array.from({ length: 11 }, () => ({ name: "a" })) }, ["spec.tunedConfig"]],
  ["an unknown way to update", { management: { upgradeType: "Now" } }, ["spec.management.upgradeType"]],
  ["no cluster", { clusterName: "" }, ["spec.clusterName"]],
])("a NodePool with %s", (_, spec, faults) => {
  const [, schema] = schemas[0]!;
  const object = { spec: { clusterName: "demo", ...spec } };
  expect(validateSchema(object, schema).map(({ field }) => field)).toEqual(faults);
});

it("kubectl shows of a HostedCluster what its user wrote and what Attune reports", () => {
  const { versions } = nodePoolCrds[1]!["spec"] as {
    versions: [{ additionalPrinterColumns: { name: string; jsonPath: string }[] }];
  };
  expect(versions[0].additionalPrinterColumns.map(({ name, jsonPath }) => `${name} ${jsonPath}`)).toEqual([
    "KubeConfig .spec.kubeconfig.name",
    'Tuning .status.conditions[?(@.type=="NodeTuningAvailable")].status',
    "Age .metadata.creationTimestamp",
  ]);
});

import type { CSINode, CSINodeDriver } from "kubernetes-types/storage/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { qualifiedName } from "../../../../language/object/names.ts";
import { type FieldError, duplicate, immutable, invalid, required } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { ageColumn, integerColumn, nameColumn, typed } from "../columns.ts";
import { validateDriverName } from "./csi-driver.ts";
import { defineKind } from "../define-kind.ts";

const driversOf = (object: KubeObject): CSINodeDriver[] => (object as KubeObject & CSINode).spec.drivers ?? [];
const longestId = 256;

export const csiNode = defineKind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  namespaced: false,
  columns: [
    nameColumn,
    integerColumn(
      "Drivers",
      typed<CSINode>(({ spec }) => spec.drivers?.length ?? 0),
    ),
    ageColumn,
  ],
  strategy: { validate, validateUpdate, requiresVersion: true, returnDeleted: true },
});

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { name, nodeID, allocatable, topologyKeys }] of driversOf(object).entries()) {
    const at = `spec.drivers[${index}]`;
    errors.push(...validateDriverName(name, `${at}.name`));
    if (nodeID === "") errors.push(required(`${at}.nodeID`));
    else if (nodeID.length > longestId)
      errors.push(invalid(`${at}.nodeID`, nodeID, `must be ${longestId} characters or less`));
    errors.push(...atLeast(allocatable?.count, 0, `${at}.allocatable.count`));
    if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
    errors.push(...validateTopology(topologyKeys ?? [], at));
  }
  return errors;
}

function validateTopology(keys: readonly string[], at: string): FieldError[] {
  return keys.flatMap((key, index) => [
    ...(key === "" ? [required(at)] : []),
    ...(keys.indexOf(key) < index ? [duplicate(at, key)] : []),
    ...qualifiedName(key).map((why) => invalid(at, key, why)),
  ]);
}

/** Only `allocatable` of an existing driver is mutable. */
function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const before = new Map(driversOf(old).map((driver) => [driver.name, identity(driver)]));
  return driversOf(object)
    .filter((driver) => before.has(driver.name) && !equal(identity(driver), before.get(driver.name)))
    .map((driver) => immutable("spec.drivers", { ...identity(driver), Allocatable: null }));
}

function identity({ name, nodeID, topologyKeys }: CSINodeDriver): Record<string, unknown> {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null };
}

import { definitionOf } from "../../src/embedded/apiserver/kinds/definitions.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { at, clone, isObject } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { dnsSubdomain } from "../../src/language/object/names.ts";
import { validateObjectMeta } from "../../src/language/object/validate-meta.ts";
import type { Derivation } from "../../src/domain/performance-profile/derive.ts";
import { readKubeletFields } from "../../src/domain/performance-profile/kubelet-config/kubelet-fields.ts";
import type { FieldError } from "../../src/language/schema/field-error.ts";
import { pruneUnknown } from "../../src/language/schema/prune.ts";
import type { Schema } from "../../src/language/schema/schema.ts";
import { validateSchema } from "../../src/language/schema/validate.ts";
import { machineConfigSchema } from "./ignition-schema.ts";

const tunedSchema = definedIn(nodeTuningCrds, "Tuned");
const kubeletConfigSchema = definedIn(machineConfigCrds, "KubeletConfig");
const runtimeClassSchema = definitionOf("node.k8s.io", "v1", "RuntimeClass");

/** What an API server, an operating system or a kubelet would reject. */
export function schemaFaults({
  machineConfig,
  kubeletConfig,
  tuned,
  runtimeClass,
}: Extract<Derivation, { type: "derived" }>): readonly string[] {
  const kubelet = at(kubeletConfig, "spec", "kubeletConfig");
  const { unknown, faults } = readKubeletFields(isObject(kubelet) ? kubelet : {});
  return [
    ...faultsOf(machineConfig, machineConfigSchema),
    ...faultsOf(kubeletConfig, kubeletConfigSchema),
    ...unknown,
    ...faults.map(faultText),
    ...faultsOf(tuned, tunedSchema, true),
    ...faultsOf(runtimeClass, runtimeClassSchema),
  ];
}

function faultsOf(object: KubeObject, schema: Schema, namespaced = false): readonly string[] {
  return [
    ...validateSchema(object, schema).map(faultText),
    ...pruneUnknown(clone(object), schema, { root: true }).map((path) => `${object.kind} has no field ${path}`),
    ...validateObjectMeta(object.metadata, { namespaced, validateName: dnsSubdomain }).map(faultText),
  ];
}

function faultText({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

function definedIn(crds: readonly KubeObject[], kind: string): Schema {
  const crd = crds.find((one) => at(one, "spec", "names", "kind") === kind);
  const versions = at(crd, "spec", "versions") as { schema: { openAPIV3Schema: Schema } }[];
  const schema = versions[0]?.schema.openAPIV3Schema;
  if (!schema) throw new Error(`find schema of ${kind}: no such definition`);
  return schema;
}

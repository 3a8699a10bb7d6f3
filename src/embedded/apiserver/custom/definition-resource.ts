import { get } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { defineKind } from "../kinds/define-kind.ts";
import type { Resource } from "../resource.ts";
import { asDefinition, storageVersionOf, type Definition } from "./definition.ts";
import { terminating } from "./termination.ts";
import { nameColumn } from "./printer-columns.ts";
import { validateDefinition, validateDefinitionUpdate } from "./validate-definition.ts";

/** The kind CustomResourceDefinition. */
export const definitionResource: Resource = defineKind({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  namespaced: false,
  columns: [
    nameColumn,
    {
      name: "Created At",
      type: "date",
      description: "When the definition was created.",
      priority: 0,
      cell: (object) => object.metadata.creationTimestamp ?? null,
    },
  ],
  strategy: {
    hasGeneration: true,
    requiresVersion: true,
    ignoredFields: ["status"],
    onDelete: (object, now) => terminating(object, "pending", now),
    defaults: (object) => applyDefaults(asDefinition(object)),
    prepareForCreate(object) {
      const definition = asDefinition(object);
      const storage = storageVersionOf(definition.spec ?? {});
      definition.status = {
        conditions: null,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: storage === undefined ? null : [storage],
      };
    },
    prepareForUpdate(object, old) {
      const definition = asDefinition(object);
      const status = asDefinition(old).status;
      const storage = storageVersionOf(definition.spec ?? {});
      const stored = status?.storedVersions ?? [];
      if (!status || storage === undefined || stored.includes(storage)) return;
      // From now on objects may be stored in this version too; only a storage migration removes it from the list.
      definition.status = { ...status, storedVersions: [...stored, storage] };
    },
    // An update, recognised by its resourceVersion, is validated by validateUpdate alone.
    validate: (object) => (object.metadata.resourceVersion ? [] : validateDefinition(withSpec(object))),
    validateUpdate: (object, old) => validateDefinitionUpdate(withSpec(object), asDefinition(old)),
  },
  subresources: { status: { type: "status" } },
});

function applyDefaults({ spec }: Definition): void {
  if (!spec) return;
  const names = (spec.names ??= {});
  if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
}

/** A definition without a spec is validated as one with an empty spec. */
function withSpec(object: KubeObject): Definition {
  if (get(object, "spec") === undefined) object["spec"] = {};
  return asDefinition(object);
}

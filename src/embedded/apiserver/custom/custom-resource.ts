import type { KubeObject } from "../../../language/object/meta.ts";
import { applyDefaults, DefaultsTooLargeError, defaultsLimit } from "../../../language/schema/defaults.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { ConversionWebhook, Resource, Strategy, Subresource, Verb, Versions } from "../resource.ts";
import type { ClientConfig } from "../webhook-client/review-client.ts";
import { tooLarge } from "../status-error.ts";
import {
  asDefinition,
  storageVersionOf,
  type Definition,
  type DefinitionSpec,
  type DefinitionVersion,
  deprecationWarning,
} from "./definition.ts";
import { evaluate, parseJsonPath } from "./json-path.ts";
import { columnsOf } from "./printer-columns.ts";
import { objectValidation } from "./validate-object.ts";
import { definitionOf } from "../kinds/definitions.ts";

export { decodeCustom, type DecodedCustom } from "./decode-custom.ts";

/** In the order of kube-apiserver's discovery. */
const VERBS: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** The resources of an accepted definition: one per served version, with the accepted names. */
export function resourcesOf(object: KubeObject): Resource[] {
  const definition = asDefinition(object);
  const versions = definition.spec.versions ?? [];
  const all = new Map<string, Resource>();
  const webhook = conversionWebhookOf(definition.spec);
  const shared: Versions = { all, ...(webhook ? { webhook } : {}) };
  for (const version of versions) all.set(version.name ?? "", { ...resourceOf(definition, version), versions: shared });
  return versions.filter(({ served }) => served).map(({ name }) => all.get(name ?? "") as Resource);
}

/** Uses the first ConversionReview version that both sides support; validation ensures that there is one. */
function conversionWebhookOf({ conversion }: DefinitionSpec): ConversionWebhook | undefined {
  const { clientConfig: client, conversionReviewVersions } = conversion?.webhook ?? {};
  const reviewVersion = conversionReviewVersions?.find((version) => version === "v1" || version === "v1beta1");
  if (conversion?.strategy !== "Webhook" || !client || !reviewVersion) return undefined;
  return { client: client as ClientConfig, reviewVersion };
}

function resourceOf({ spec, status }: Definition, version: DefinitionVersion): Resource {
  const names = status?.acceptedNames.kind ? status.acceptedNames : (spec.names ?? {});
  const kind = names.kind ?? "";
  const schema = version.schema?.openAPIV3Schema ?? { "x-kubernetes-preserve-unknown-fields": true };
  const subresources = subresourcesOf(version);
  const validation = objectValidation(schema, subresources.scale);
  const hasStatus = version.subresources?.status !== undefined;
  const warning = deprecationWarning(spec, version);
  return {
    group: spec.group ?? "",
    version: version.name ?? "",
    kind,
    listKind: names.listKind ?? `${kind}List`,
    plural: names.plural ?? "",
    singular: names.singular ?? kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === "Namespaced",
    verbs: VERBS,
    storageVersion: storageVersionOf(spec) ?? version.name ?? "",
    schema: objectSchema(schema),
    origin: "custom",
    ...(warning === undefined ? {} : { warning }),
    selectableFields: selectableFieldsOf(version),
    columns: columnsOf(version.additionalPrinterColumns),
    strategy: {
      hasGeneration: true,
      requiresVersion: true,
      defaults: (object) => setDefaults(object, schema),
      ...(hasStatus ? IGNORE_STATUS : {}),
      // An update, recognised by its resourceVersion, is validated by validateUpdate alone.
      validate: (object) => (object.metadata.resourceVersion ? [] : validation.create(object)),
      validateUpdate: validation.update,
    },
    subresources: {
      ...(hasStatus ? { status: { type: "status", validateUpdate: validation.status } } : {}),
      ...subresources,
    },
  };
}

function setDefaults(object: KubeObject, schema: Schema): void {
  try {
    applyDefaults(object, schema);
  } catch (error) {
    if (error instanceof DefaultsTooLargeError) throw tooLarge(defaultsLimit);
    throw error;
  }
}

/** With a status subresource, the main endpoint ignores `status`. */
const IGNORE_STATUS: Strategy = {
  ignoredFields: ["status"],
  prepareForCreate: (object) => {
    delete object["status"];
  },
};

function subresourcesOf({ subresources }: DefinitionVersion): { scale?: Extract<Subresource, { type: "scale" }> } {
  const paths = subresources?.scale;
  if (!paths) return {};
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath } = paths;
  return {
    scale: {
      type: "scale",
      specReplicasPath,
      statusReplicasPath,
      ...(labelSelectorPath ? { labelSelectorPath } : {}),
    },
  };
}

function selectableFieldsOf({ selectableFields = [] }: DefinitionVersion): Resource["selectableFields"] {
  const fields: Record<string, (object: KubeObject) => string> = Object.create(null) as Record<string, never>;
  for (const { jsonPath = "" } of selectableFields) {
    const path = parseJsonPath(jsonPath);
    if (!path) continue;
    fields[jsonPath.startsWith(".") ? jsonPath.slice(1) : jsonPath] = (object) => {
      const value = evaluate(path, object)[0];
      return ["string", "number", "bigint", "boolean"].includes(typeof value) ? String(value) : "";
    };
  }
  return fields;
}

const STRING: Schema = { type: "string" };

/** The schema of a custom object, with apiVersion, kind and metadata. */
export function objectSchema(schema: Schema): Schema {
  const metadata = definitionOf("meta.k8s.io", "v1", "ObjectMeta");
  const own = schema.properties?.["metadata"]?.properties;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: STRING,
      kind: STRING,
      // Of metadata, a definition may restrict only the name.
      metadata: own ? { ...metadata, properties: { ...metadata.properties, ...own } } : metadata,
    },
  };
}

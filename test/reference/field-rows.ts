import type { KubeObject } from "../../src/language/object/meta.ts";
import type { Schema } from "../../src/language/schema/schema.ts";

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly deprecated?: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** A section for each kind, with a table of the fields of its stored version. */
export function fieldSections(definitions: readonly KubeObject[]): string {
  return definitions
    .map((definition) => definition as Definition)
    .toSorted((a, b) => a.spec.names.kind.localeCompare(b.spec.names.kind, "en"))
    .map(section)
    .join("\n");
}

function section({ spec: { group, names, scope, versions } }: Definition): string {
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  if (!stored) throw new Error(`${names.kind} has no version`);
  const others = versions.filter((version) => version !== stored).map(({ name }) => name);
  const facts = [
    `\`${group}/${stored.name}\``,
    scope === "Cluster" ? "cluster-scoped" : "in a namespace",
    `\`kubectl get ${names.shortNames?.[0] ?? names.plural}\``,
    ...(others.length > 0 ? [`also served: ${others.join(", ")}`] : []),
  ];
  const { properties = {} } = stored.schema.openAPIV3Schema;
  const rows = Object.entries(properties)
    .filter(([name]) => !["apiVersion", "kind", "metadata"].includes(name))
    .flatMap(([name, { properties = {}, ...schema }]) =>
      Object.entries(properties).flatMap(([field, child]) =>
        fieldRows(`${name}.${field}`, child, isRequired(schema, field)),
      ),
    );
  const table = ["| field | type | meaning |", "|---|---|---|", ...rows];
  return [`## ${names.kind}`, "", `${facts.join(" · ")}.`, "", ...table, ""].join("\n");
}

function fieldRows(path: string, schema: Schema, required: boolean): string[] {
  const { items } = schema;
  const nested = items ? { ...items, path: `${path}[]` } : { ...schema, path };
  const meaning = [
    schema.description ?? (isConditions(schema) ? "What is known about the object, one entry for each type." : ""),
    required ? "**Required.**" : "",
    schema.default === undefined ? "" : `Default \`${JSON.stringify(schema.default)}\`.`,
    schema.enum
      ? `One of ${schema.enum
          .flatMap((value) => (typeof value === "string" && value !== "" ? [`\`${value}\``] : []))
          .join(", ")}.`
      : "",
  ];
  const row = `| \`${path}\` | ${typeOf(schema)} | ${meaning
    .filter(Boolean)
    .join(" ")
    .replaceAll("|", String.raw`\|`)} |`;
  // Kubernetes' own types, which its documentation explains.
  const known = [isSelector, isConditions, isAffinity, isToleration].some((is) => is(schema));
  const children = Object.entries((known ? {} : nested.properties) ?? {}).flatMap(([name, child]) =>
    fieldRows(`${nested.path}.${name}`, child, isRequired(nested, name)),
  );
  return [row, ...children];
}

function isRequired({ required = [] }: Schema, name: string): boolean {
  return required.includes(name);
}

function isAffinity({ properties }: Schema): boolean {
  return properties?.nodeAffinity !== undefined;
}

function isToleration({ items }: Schema): boolean {
  return items?.properties?.tolerationSeconds !== undefined;
}

function isSelector({ properties }: Schema): boolean {
  return properties?.matchLabels !== undefined && properties.matchExpressions !== undefined;
}

function isConditions({ items }: Schema): boolean {
  return ["type", "status", "reason", "message"].every((name) => items?.properties?.[name]);
}

function typeOf(schema: Schema): string {
  if (isSelector(schema)) return "label selector";
  if (isConditions(schema)) return "list of conditions";
  if (isAffinity(schema)) return "affinity";
  if (isToleration(schema)) return "list of tolerations";
  if (schema["x-kubernetes-int-or-string"]) return "number or text";
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties && schema.additionalProperties !== true)
    return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.format === "date-time") return "time";
  return {
    string: "text",
    boolean: "true or false",
    integer: "number",
    number: "number",
    array: "list",
    object: "object",
  }[schema.type ?? "object"];
}

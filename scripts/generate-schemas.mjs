// Writes src/embedded/apiserver/kinds/generated/definitions.json: the schemas of built-in kinds, as OpenAPI components.
//
//   npx -y -p @kubernetes/client-node@1.4.0 node scripts/generate-schemas.mjs
//
// Names, types and formats of fields come from the attribute maps of that package's models (or of an unpacked package
// whose folder is given as an argument). src/embedded/apiserver/kinds/facts.json, which is edited by hand, adds what the
// maps do not contain: groups, list types, merge keys, Go's encoding of structs, and newer fields.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const kinds = join(dirname(fileURLToPath(import.meta.url)), "../src/embedded/apiserver/kinds");
const facts = JSON.parse(readFileSync(join(kinds, "facts.json"), "utf8"));
const models = await import(pathToFileURL(join(findPackage(), "dist/gen/models/all.js")).href);

function findPackage() {
  if (process.argv[2]) return resolve(process.argv[2]);
  // npx puts the .bin folder of its install on PATH; the package is beside it.
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const candidate = join(folder, "../@kubernetes/client-node");
    if (folder.endsWith(".bin") && existsSync(join(candidate, "package.json"))) return candidate;
  }
  throw new Error("find @kubernetes/client-node: run through npx -p @kubernetes/client-node@1.4.0, or pass its folder");
}

/** Types that Go encodes with an encoder of their own, not as a struct. */
const special = {
  Quantity: { oneOf: [{ type: "string" }, { type: "number" }], format: "quantity" },
  IntOrString: {
    oneOf: [{ type: "integer" }, { type: "string" }],
    format: "int-or-string",
    "x-kubernetes-int-or-string": true,
  },
  Time: { type: "string", format: "date-time" },
  MicroTime: { type: "string", format: "date-time" },
  RawExtension: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  FieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  JSON: { "x-kubernetes-preserve-unknown-fields": true },
  JSONSchemaPropsOrArray: { "x-kubernetes-preserve-unknown-fields": true },
  JSONSchemaPropsOrBool: { "x-kubernetes-preserve-unknown-fields": true },
  JSONSchemaPropsOrStringArray: { "x-kubernetes-preserve-unknown-fields": true },
};

const simpleName = (name) => name.slice(name.lastIndexOf(".") + 1);
const groupOf = (name) => name.split(".").at(-3).toLowerCase();

const bySimpleName = new Map();
for (const name of Object.keys(facts))
  bySimpleName.set(simpleName(name), [...(bySimpleName.get(simpleName(name)) ?? []), name]);

/** `V1Pod`, `CoreV1Event` → the name of the component. If two groups have the type, that of the group of `near`. */
function componentOf(className, near) {
  const [, group, version, simple] = /^([A-Z][A-Za-z]*?)?(V\d(?:(?:alpha|beta)\d)?)(.+)$/.exec(className) ?? [
    "",
    "",
    "",
    className,
  ];
  const all = bySimpleName.get(simple) ?? [];
  const ofVersion = all.filter((name) => name.split(".").at(-2) === version.toLowerCase());
  const candidates = ofVersion.length > 0 ? ofVersion : all;
  const found =
    candidates.length === 1
      ? candidates[0]
      : candidates.find((name) => groupOf(name) === (group ? group.toLowerCase() : groupOf(near)));
  if (!found) throw new Error(`name ${className}, used by ${near}: candidates ${candidates.join(", ") || "none"}`);
  return found;
}

const ref = (component) => ({ $ref: `#/components/schemas/${component}` });

function schemaOf(type, format, near) {
  const array = /^Array<(.+)>$/.exec(type);
  if (array) return { type: "array", items: schemaOf(array[1], format, near) };
  const map = /^\{ \[key: string\]: (.+); \}$/.exec(type);
  if (map) return { type: "object", additionalProperties: schemaOf(map[1], format, near) };
  switch (type) {
    case "string":
      return format === "byte" ? { type, format } : { type };
    case "boolean":
      return { type };
    case "number":
      return format === "double" ? { type, format } : { type: "integer", format: format || "int32" };
    case "Date":
      return ref(componentOf("Time", near));
    case "any":
      return ref(componentOf("JSON", near));
    case "object":
      return ref(componentOf("RawExtension", near));
    default:
      return ref(componentOf(type, near));
  }
}

/** The model of a component: `CoreV1Event` if two groups have an Event, otherwise `V1Event`. */
function modelOf(component) {
  const [group, version, simple] = component.split(".").slice(-3);
  const prefix = version[0].toUpperCase() + version.slice(1);
  const long = group[0].toUpperCase() + group.slice(1) + prefix + simple;
  return models[long] ?? models[prefix + simple];
}

function fieldsOf(component, fact) {
  const fields = {};
  for (const { baseName, type, format } of modelOf(component)?.getAttributeTypeMap() ?? [])
    fields[baseName] = schemaOf(type, format, component);
  for (const [field, type] of Object.entries(fact.fields ?? {})) {
    const [name, format = ""] = type.split("/");
    fields[field] = schemaOf(name, format, component);
  }
  for (const field of fact.gone ?? []) delete fields[field];
  return fields;
}

/** Changes the elements of a list or map, or the schema itself if it is neither. */
function onElements(schema, change) {
  if (schema.items) return { ...schema, items: change(schema.items) };
  if (schema.additionalProperties) return { ...schema, additionalProperties: change(schema.additionalProperties) };
  return change(schema);
}

function refine(field, key, value) {
  switch (key) {
    case "lists":
      if (value.startsWith("=")) return { ...field, "x-kubernetes-list-type": value.slice(1) };
      return { ...field, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": value.split("+") };
    case "maps":
      return { ...field, "x-kubernetes-map-type": value };
    case "patch": {
      const [strategy, mergeKey] = value.split("/");
      return {
        ...field,
        ...(strategy ? { "x-kubernetes-patch-strategy": strategy } : {}),
        ...(mergeKey ? { "x-kubernetes-patch-merge-key": mergeKey } : {}),
      };
    }
    case "defaults":
      return { ...field, default: value };
    default:
      return onElements(field, (element) => ({ ...element, enum: value }));
  }
}

function definitionOf(component, fact) {
  const name = simpleName(component);
  if (special[name]) return { ...special[name], go: { name } };
  const properties = fieldsOf(component, fact);
  for (const key of ["lists", "maps", "patch", "defaults", "enums"])
    for (const [field, value] of Object.entries(fact[key] ?? {})) {
      if (!properties[field]) throw new Error(`${component}.${field}: in ${key}, but not a field`);
      properties[field] = refine(properties[field], key, value);
    }
  for (const field of fact.quantities ?? [])
    properties[field] = onElements(properties[field], () => ref(componentOf("Quantity", component)));
  for (const [field, type] of Object.entries(fact.specials ?? {}))
    properties[field] = onElements(properties[field], () => ref(componentOf(type, component)));
  const go = { name };
  for (const key of ["always", "pointers", "types", "inline"]) if (fact[key]) go[key] = fact[key];
  return {
    type: "object",
    ...(fact.required ? { required: fact.required } : {}),
    properties,
    ...(fact.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    go,
  };
}

const lines = Object.entries(facts).map(
  ([component, fact]) => `${JSON.stringify(component)}:${JSON.stringify(definitionOf(component, fact))}`,
);
writeFileSync(join(kinds, "generated/definitions.json"), `{\n${lines.join(",\n")}\n}\n`);

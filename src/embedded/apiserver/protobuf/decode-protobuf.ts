import { readJson } from "../../../language/object/exact-json.ts";
import { isObject, set, type Json, type JsonObject } from "../../../language/object/json.ts";
import { parseApiVersion } from "../../../language/object/meta.ts";
import { definitionName, definitions } from "../kinds/definitions.ts";
import fieldNumbers from "./field-numbers.json" with { type: "json" };
import { WireError, WireReader, wireTypes } from "./wire-reader.ts";

/** A component of the generated schemas. Its fields refer to other components by `$ref`. */
type Component = Readonly<Record<string, unknown>>;

const magic = Buffer.from("k8s\0");
const refPrefix = "#/components/schemas/";
const maxDepth = 256;
const jsonSchemaProps = definitionName("apiextensions.k8s.io", "v1", "JSONSchemaProps");

/**
 * Decodes Kubernetes' protobuf into JSON. Only request bodies are protobuf: Go clients since 1.32 send built-in kinds so
 * by default, but accept JSON responses.
 */
export function decodeProtobuf(bytes: Buffer): JsonObject {
  if (!bytes.subarray(0, magic.length).equals(magic))
    throw new WireError("the body does not start with the prefix of Kubernetes' protobuf");
  const { apiVersion, kind, raw } = envelopeIn(new WireReader(bytes, magic.length));
  const { group, version } = parseApiVersion(apiVersion);
  // DeleteOptions are sent in the group of the object, but have one type.
  const name =
    kind === "DeleteOptions" ? definitionName("meta.k8s.io", "v1", kind) : definitionName(group, version, kind);
  if (!Object.hasOwn(fieldNumbers, name)) throw new WireError(`${kind} in version ${apiVersion} has no protobuf form`);
  return { apiVersion, kind, ...message(name, new WireReader(raw), 0) };
}

function envelopeIn(reader: WireReader): { apiVersion: string; kind: string; raw: Buffer } {
  let [apiVersion, kind, raw] = ["", "", Buffer.alloc(0)];
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === wireTypes.bytes) {
      const type = reader.message();
      while (!type.done) {
        const tag = type.tag();
        if (tag.field === 1) apiVersion = type.text();
        else if (tag.field === 2) kind = type.text();
        else type.skip(tag.wireType);
      }
    } else if (field === 2 && wireType === wireTypes.bytes) raw = Buffer.from(reader.bytes());
    else reader.skip(wireType);
  }
  return { apiVersion, kind, raw };
}

/** The names of a message's fields by number: `-` for an unused number, `+NAME` for an inlined message. */
function fieldsOf(name: string): string[] {
  return (fieldNumbers as Record<string, string>)[name]?.split(" ") ?? [];
}

function message(name: string, reader: WireReader, depth: number): JsonObject {
  const into: JsonObject = {};
  const properties = propertiesOf(name);
  const read = (fields: string[], part: WireReader, level: number): void => {
    if (level > maxDepth) throw new WireError(`the message nests deeper than ${maxDepth} levels`);
    while (!part.done) {
      const { field, wireType } = part.tag();
      const property = fields[field - 1] ?? "-";
      if (property.startsWith("+")) read(fieldsOf(property.slice(1)), part.message(), level + 1);
      else if (property === "-") part.skip(wireType);
      else set(into, property, fieldValue(into[property], properties[property] ?? {}, part, level));
    }
  };
  read(fieldsOf(name), reader, depth);
  return into;
}

/** Elements of a list and entries of a map are encoded one by one: `earlier` holds those decoded so far. */
function fieldValue(earlier: Json | undefined, component: Component, reader: WireReader, depth: number): Json {
  const { items, additionalProperties } = component as { items?: Component; additionalProperties?: Component };
  if (items) {
    const list = (earlier ?? []) as Json[];
    list.push(single(items, reader, depth));
    return list;
  }
  if (additionalProperties) {
    const map = (earlier ?? {}) as JsonObject;
    const [key, value] = mapEntry(additionalProperties, reader.message(), depth);
    set(map, key, value);
    return map;
  }
  return single(component, reader, depth);
}

/** A map is a list of pairs. Values that are lists are wrapped in a message with one field. */
function mapEntry(component: Component, reader: WireReader, depth: number): [string, Json] {
  const { items } = component as { items?: Component };
  let key = "";
  let value: Json = items ? [] : component.type === "string" ? "" : {};
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1) key = reader.text();
    else if (field === 2 && items) value = wrappedList(items, reader.message(), depth);
    else if (field === 2) value = single(component, reader, depth);
    else reader.skip(wireType);
  }
  return [key, value];
}

function wrappedList(items: Component, reader: WireReader, depth: number): Json[] {
  const list: Json[] = [];
  while (!reader.done) {
    reader.tag();
    list.push(single(items, reader, depth));
  }
  return list;
}

function single(component: Component, reader: WireReader, depth: number): Json {
  const name = typeof component.$ref === "string" ? component.$ref.slice(refPrefix.length) : "";
  const special = specials[name.slice(name.lastIndexOf(".") + 1)];
  if (special) return special(reader.message(), depth);
  if (name !== "") return message(name, reader.message(), depth + 1);
  switch (component.type) {
    case "string":
      return component.format === "byte" ? reader.bytes().toString("base64") : reader.text();
    case "integer":
      return reader.signed();
    case "boolean":
      return reader.unsigned() !== 0;
    case "number":
      return reader.double();
    default:
      throw new WireError(`a field of type ${String(component.type)} cannot be read`);
  }
}

/** Types whose JSON does not have the shape of their message. */
export const specials: Readonly<Record<string, (reader: WireReader, depth: number) => Json>> = {
  Quantity: (reader) => fieldOf(reader, 1, () => reader.text()) ?? "0",
  Time: (reader) => instant(reader, 0),
  MicroTime: (reader) => instant(reader, 6),
  FieldsV1: embeddedObject,
  RawExtension: embeddedObject,
  IntOrString: (reader) => {
    let [isText, number, text] = [false, 0, ""];
    while (!reader.done) {
      const { field, wireType } = reader.tag();
      if (field === 1) isText = reader.signed() === 1;
      else if (field === 2) number = Number(reader.signed());
      else if (field === 3) text = reader.text();
      else reader.skip(wireType);
    }
    return isText ? text : number;
  },
  JSON: embeddedJson,
  JSONSchemaPropsOrArray: (reader, depth) => {
    const { schema, others } = schemaOr(reader, depth, 1, () => message(jsonSchemaProps, reader.message(), depth + 1));
    return others.length > 0 ? others : (schema ?? null);
  },
  JSONSchemaPropsOrBool: (reader, depth) => {
    const { schema, others } = schemaOr(reader, depth, 2, () => reader.unsigned() !== 0);
    return schema ?? others.at(-1) ?? false;
  },
  JSONSchemaPropsOrStringArray: (reader, depth) => {
    const { schema, others } = schemaOr(reader, depth, 1, () => reader.text());
    return others.length > 0 ? others : (schema ?? null);
  },
};

/** Unions in a CustomResourceDefinition's schema: messages of two fields, one of which is a schema. */
function schemaOr(reader: WireReader, depth: number, schemaField: 1 | 2, readOther: () => Json) {
  let schema: JsonObject | undefined;
  const others: Json[] = [];
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === schemaField) schema = message(jsonSchemaProps, reader.message(), depth + 1);
    else if (field === 3 - schemaField) others.push(readOther());
    else reader.skip(wireType);
  }
  return { schema, others };
}

/** The zero time is an empty message. */
function instant(reader: WireReader, digits: number): Json {
  if (reader.done) return null;
  let [seconds, nanos] = [0, 0];
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1) seconds = Number(reader.signed());
    else if (field === 2) nanos = Number(reader.signed());
    else reader.skip(wireType);
  }
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new WireError("a time is out of range");
  const whole = date.toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;
}

function embeddedObject(reader: WireReader): Json {
  const value = embeddedJson(reader);
  return isObject(value) ? value : null;
}

function embeddedJson(reader: WireReader): Json {
  const text = fieldOf(reader, 1, () => reader.text());
  if (text === undefined || text === "") return null;
  try {
    return readJson(text);
  } catch (error) {
    throw new WireError("an embedded object is not JSON", { cause: error });
  }
}

function fieldOf<T>(reader: WireReader, number: number, read: () => T): T | undefined {
  let found: T | undefined;
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === number) found = read();
    else reader.skip(wireType);
  }
  return found;
}

function propertiesOf(name: string): Record<string, Component> {
  return (definitions()[name]?.properties ?? {}) as Record<string, Component>;
}

import type { OpenApiV2 } from "./openapi-v2.ts";

type Part = Readonly<Record<string, unknown>>;

/** Field numbers of the message Schema, by how their value is written. */
const texts = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 };
const doubles = { multipleOf: 6, maximum: 7, minimum: 9 };
const integers = { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15, maxProperties: 17, minProperties: 18 };
const flags = { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16 };

/**
 * The document as Go's discovery client reads it: `Document` of gnostic's OpenAPIv2.proto. It has the definitions, which
 * that client's users read, and not the paths.
 */
export function openapiV2Protobuf({ swagger, info, definitions }: OpenApiV2): Buffer {
  return Buffer.concat([
    text(1, swagger),
    bytes(2, Buffer.concat([text(1, info.title), text(2, info.version)])),
    bytes(9, named(definitions)),
  ]);
}

/** `repeated NamedSchema additional_properties = 1`. */
function named(schemas: Readonly<Record<string, Part>>): Buffer {
  const entries = Object.entries(schemas).map(([name, schema]) =>
    bytes(1, Buffer.concat([text(1, name), bytes(2, schemaMessage(schema))])),
  );
  return Buffer.concat(entries);
}

function schemaMessage(schema: Part): Buffer {
  const parts: Buffer[] = [];
  for (const [key, number] of Object.entries(texts))
    if (typeof schema[key] === "string") parts.push(text(number, schema[key]));
  for (const [key, number] of Object.entries(doubles))
    if (typeof schema[key] === "number") parts.push(double(number, schema[key]));
  for (const [key, number] of Object.entries(integers))
    if (typeof schema[key] === "number") parts.push(varint(number << 3), varint(schema[key]));
  for (const [key, number] of Object.entries(flags))
    if (schema[key] === true) parts.push(varint(number << 3), varint(1));
  if (schema["default"] !== undefined) parts.push(bytes(5, anyMessage(schema["default"])));
  for (const name of (schema["required"] ?? []) as string[]) parts.push(text(19, name));
  for (const value of (schema["enum"] ?? []) as unknown[]) parts.push(bytes(20, anyMessage(value)));
  const more = schema["additionalProperties"];
  if (typeof more === "boolean") parts.push(bytes(21, Buffer.concat([varint(2 << 3), varint(more ? 1 : 0)])));
  else if (more !== undefined) parts.push(bytes(21, bytes(1, schemaMessage(more as Part))));
  if (typeof schema["type"] === "string") parts.push(bytes(22, text(1, schema["type"])));
  if (schema["items"] !== undefined) parts.push(bytes(23, bytes(1, schemaMessage(schema["items"] as Part))));
  if (schema["properties"] !== undefined) parts.push(bytes(25, named(schema["properties"] as Record<string, Part>)));
  for (const [key, value] of Object.entries(schema))
    if (key.startsWith("x-")) parts.push(bytes(31, Buffer.concat([text(1, key), bytes(2, anyMessage(value))])));
  return Buffer.concat(parts);
}

/** Any value, as YAML, which JSON is. */
function anyMessage(value: unknown): Buffer {
  return text(2, JSON.stringify(value));
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function double(field: number, value: number): Buffer {
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), content]);
}

function varint(value: number): Buffer {
  const written: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    written.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    if (rest <= 0x7fn) return Buffer.from(written);
  }
}

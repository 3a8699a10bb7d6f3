import { readJson, writeJson } from "../../object/exact-json.ts";
import { isObject } from "../../object/json.ts";
import type { Json } from "../../object/json.ts";
import { PatchError } from "../patch-error.ts";

/**
 * One step of a path in the notation of FieldsV1: `f:name` a field, `k:{"name":"one"}` the list item with these keys,
 * `v:"x"` the item of a set, `i:0` a position. Equal steps are equal strings: keys are sorted and JSON is compact.
 */
export type PathElement = string;

export type FieldPath = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${goJson(value)}`;
}

/** `pairs` in any order of names. */
export function keyElement(pairs: (readonly [string, Json])[]): PathElement {
  if (pairs.length > 1) pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  let text = "k:{";
  for (const [i, [name, value]] of pairs.entries())
    text += `${i === 0 ? "" : ","}${JSON.stringify(name)}:${goJson(value)}`;
  return `${text}}`;
}

/** The element in its canonical spelling; undefined for an unknown type of element, which is ignored. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw bad(text, "key must be 2 characters long");
  if (text.charCodeAt(1) !== 58) throw bad(text, "missing colon");
  switch (text.charCodeAt(0)) {
    case 102:
      return text;
    case 107: {
      const keys = parseJson(text);
      if (!isObject(keys)) throw bad(text, "expected an object");
      return keyElement(Object.entries(keys));
    }
    case 118:
      return valueElement(parseJson(text));
    case 105: {
      const index = Number(text.slice(2));
      if (text.length === 2 || !Number.isSafeInteger(index)) throw bad(text, "expected an integer");
      return `i:${index}`;
    }
    default:
      return undefined;
  }
}

/** Sorts as kube-apiserver does: fields, keys, values, positions; each type by its content. */
export function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  if (elements.every(isField)) return elements.sort();
  const fields = elements.filter(isField).sort();
  const others = elements.filter((element) => !isField(element)).map(decorate);
  others.sort((a, b) => a.rank - b.rank || compareValues(a.value, b.value));
  return [...fields, ...others.map((other) => other.element)];
}

/** A path as conflict messages print it: `.spec.containers[name="one"].image`, `.metadata.finalizers[="x"]`. */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join("");
}

export function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element.charCodeAt(0)) {
    case 102:
      return `.${content}`;
    case 107: {
      const keys = Object.entries(readJson(content) as Record<string, Json>);
      return `[${keys.map(([name, value]) => `${name}=${writeJson(value)}`).join(",")}]`;
    }
    case 118:
      return `[=${writeJson(readJson(content))}]`;
    default:
      return `[${content}]`;
  }
}

function isField(element: PathElement): boolean {
  return element.charCodeAt(0) === 102;
}

function decorate(element: PathElement): { element: PathElement; rank: number; value: Json } {
  const rank = "fkvi".indexOf(element.charAt(0));
  return { element, rank, value: readJson(element.slice(2)) };
}

const TYPE_ORDER = ["number", "string", "boolean", "object"];

const typeName = (value: Json): string => (typeof value === "bigint" ? "number" : typeof value);

function compareValues(a: Json, b: Json): number {
  if (isObject(a) && isObject(b)) return compareKeys(Object.entries(a), Object.entries(b));
  const byType = TYPE_ORDER.indexOf(typeName(a)) - TYPE_ORDER.indexOf(typeName(b));
  if (byType !== 0 || a === b) return byType;
  if (typeof a === "object" || typeof b === "object") return writeJson(a) < writeJson(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

function compareKeys(a: [string, Json][], b: [string, Json][]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [nameA, valueA] = a[i] as [string, Json];
    const [nameB, valueB] = b[i] as [string, Json];
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
    const byValue = compareValues(valueA, valueB);
    if (byValue !== 0) return byValue;
  }
  return a.length - b.length;
}

const ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;

/** Go writes `<`, `>` and `&` in JSON strings as escapes, and these texts are compared byte by byte. */
function goJson(value: Json): string {
  const text = writeJson(value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return text;
  return text.replace(ESCAPED_BY_GO, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function parseJson(element: string): Json {
  try {
    return readJson(element.slice(2));
  } catch (cause) {
    throw bad(element, "expected JSON", cause);
  }
}

function bad(element: string, why: string, cause?: unknown): PatchError {
  return new PatchError("malformed", `parse field path element ${JSON.stringify(element)}: ${why}`, { cause });
}

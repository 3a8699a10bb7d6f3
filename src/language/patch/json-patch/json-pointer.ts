import { isObject, set } from "../../object/json.ts";
import type { Json, JsonObject } from "../../object/json.ts";
import { PatchError } from "../patch-error.ts";

export type Container = JsonObject | Json[];

const INDEX = /^[+-]?[0-9]{1,15}$/;

/** The object or list that contains the target of the pointer, and the key there. Undefined if a parent is missing. */
export function find(root: Json, pointer: string): [Container, string] | undefined {
  const parts = pointer.split("/");
  if (parts.length < 2) return undefined;
  let container: unknown = root;
  for (let i = 1; i < parts.length - 1; i++) container = child(container, unescape(parts[i] as string));
  if (!Array.isArray(container) && !isObject(container)) return undefined;
  return [container as Container, unescape(parts.at(-1) as string)];
}

/** A document of which parts are copied before they are changed. */
export interface Draft {
  root: Json;
  /** The containers that are no part of the document. */
  readonly own: Set<unknown>;
}

/** As `find`, for a change: containers on the way to the target become the draft's own, and the rest stays shared. */
export function findOwn(draft: Draft, pointer: string): [Container, string] | undefined {
  const parts = pointer.split("/");
  if (parts.length < 2) return undefined;
  let container = ownContainer(draft.root, draft.own);
  if (container === undefined) return undefined;
  draft.root = container;
  for (let i = 1; i < parts.length - 1; i++) {
    const key = unescape(parts[i] as string);
    const next = child(container, key);
    const copy = ownContainer(next, draft.own);
    if (copy === undefined) return undefined;
    if (copy !== next) setIn(container, key, copy, pointer);
    container = copy;
  }
  return [container, unescape(parts.at(-1) as string)];
}

/** Undefined for a value that contains no others. */
function ownContainer(value: unknown, own: Set<unknown>): Container | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (own.has(value)) return value as Container;
  const copy = Array.isArray(value) ? [...(value as Json[])] : { ...(value as JsonObject) };
  own.add(copy);
  return copy;
}

/** The value, or undefined for a missing member of an object. Throws for an index out of range. */
export function getFrom(container: Container, key: string, pointer: string): Json | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  return container[indexIn(container.length, key, pointer)];
}

export function addTo(container: Container, key: string, value: Json, pointer: string): void {
  if (!Array.isArray(container)) set(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(indexIn(container.length + 1, key, pointer), 0, value);
}

export function setIn(container: Container, key: string, value: Json, pointer: string): void {
  if (!Array.isArray(container)) set(container, key, value);
  else container[indexIn(container.length, key, pointer)] = value;
}

export function removeFrom(container: Container, key: string, pointer: string): void {
  if (Array.isArray(container)) {
    container.splice(indexIn(container.length, key, pointer), 1);
    return;
  }
  if (!Object.hasOwn(container, key)) {
    const why = `Unable to remove nonexistent key: ${shortened(key)}: missing value`;
    throw new PatchError("unprocessable", `error in remove for path: '${shortened(pointer)}': ${why}`);
  }
  delete container[key];
}

/** A pointer for messages, shortened: a client may send one that is as long as a request body. */
export function describePath(pointer: string): string {
  return `"${shortened(pointer)}"`;
}

export function shortened(pointer: string): string {
  return pointer.length > 256 ? `${pointer.slice(0, 256)}…` : pointer;
}

function child(container: unknown, key: string): unknown {
  if (Array.isArray(container)) {
    if (!INDEX.test(key)) return undefined;
    const index = Number(key);
    return container[index < 0 ? index + container.length : index];
  }
  return isObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

function indexIn(length: number, key: string, pointer: string): number {
  const given = INDEX.test(key) ? Number(key) : Number.NaN;
  const index = given < 0 ? given + length : given;
  if (index >= 0 && index < length) return index;
  throw new PatchError(
    "unprocessable",
    `Unable to access invalid index ${describePath(key)} of ${describePath(pointer)}`,
  );
}

function unescape(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

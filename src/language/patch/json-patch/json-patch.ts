import { writeJson } from "../../object/exact-json.ts";
import { equal, isObject } from "../../object/json.ts";
import type { Json } from "../../object/json.ts";
import { boundedClone } from "../bounded-clone.ts";
import { addTo, describePath, find, findOwn, getFrom, removeFrom, setIn, shortened } from "./json-pointer.ts";
import type { Container, Draft } from "./json-pointer.ts";
import { PatchError } from "../patch-error.ts";

const MAX_OPERATIONS = 10_000;
/** Repeated copies grow a document exponentially: what they add in total is limited to the size of a request body. */
const MAX_COPIED_CHARACTERS = 3 * 1024 * 1024;

interface Operation {
  op: string;
  path: string | undefined;
  from: string | undefined;
  value: Json;
}

/**
 * RFC 6902, as lenient as kube-apiserver's library, which clients rely on: replacing a missing member adds it, copying a
 * missing member writes null, negative indices count from the end. The result shares with the document what no operation touches.
 */
export function applyJsonPatch(document: Json, operations: unknown): Json {
  const list = decode(operations);
  const target: Target = { root: document, own: new Set(), copied: 0, moved: false };
  for (const operation of list) perform(target, operation);
  // Repeated moves can nest a document deeper than MAX_DEPTH; this clone checks its depth.
  return target.moved ? boundedClone(target.root) : target.root;
}

interface Target extends Draft {
  copied: number;
  moved: boolean;
}

function perform(target: Target, operation: Operation): void {
  switch (operation.op) {
    case "add": {
      const path = required(operation.path, "add", "path");
      const [container, key] = ownParentOf(target, path, "add", "path");
      addTo(container, key, boundedClone(operation.value, depthOf(path)), path);
      return;
    }
    case "remove": {
      const path = required(operation.path, "remove", "path");
      const [container, key] = ownParentOf(target, path, "remove", "path");
      removeFrom(container, key, path);
      return;
    }
    case "replace": {
      const path = required(operation.path, "replace", "path");
      if (path === "") {
        if (typeof operation.value !== "object" || operation.value === null) {
          throw unprocessable("replace operation value must be object or array");
        }
        target.root = boundedClone(operation.value);
        return;
      }
      const [container, key] = ownParentOf(target, path, "replace", "path");
      setIn(container, key, boundedClone(operation.value, depthOf(path)), path);
      return;
    }
    case "move": {
      const from = required(operation.from, "move", "from");
      const [source, sourceKey] = ownParentOf(target, from, "move", "from path");
      const value = getFrom(source, sourceKey, from) ?? null;
      removeFrom(source, sourceKey, from);
      const path = required(operation.path, "move", "path");
      const [container, key] = ownParentOf(target, path, "move", "destination path");
      addTo(container, key, value, path);
      target.moved = true;
      return;
    }
    case "copy": {
      const from = required(operation.from, "copy", "from");
      const [source, sourceKey] = parentOf(target.root, from, "copy", "from path");
      const value = getFrom(source, sourceKey, from) ?? null;
      const path = required(operation.path, "copy", "path");
      const [container, key] = ownParentOf(target, path, "copy", "destination path");
      target.copied += writeJson(value).length;
      if (target.copied > MAX_COPIED_CHARACTERS) {
        throw unprocessable(
          `Unable to complete the copy, the accumulated size increase of copy is ${target.copied}, exceeding the limit ${MAX_COPIED_CHARACTERS}`,
        );
      }
      addTo(container, key, boundedClone(value, depthOf(path)), path);
      return;
    }
    case "test": {
      const path = required(operation.path, "test", "path");
      if (!equal(valueAt(target.root, path), operation.value)) {
        throw unprocessable(`testing value ${shortened(path)} failed: test failed`);
      }
      return;
    }
    default:
      throw unprocessable(`Unexpected kind: ${operation.op}`);
  }
}

/** A missing member equals null, as in kube-apiserver. */
function valueAt(root: Json, path: string): Json {
  if (path === "") return root;
  const [container, key] = parentOf(root, path, "test", "path");
  return getFrom(container, key, path) ?? null;
}

function decode(operations: unknown): Operation[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) {
    throw malformed(`json: cannot unmarshal ${goKind(operations)} into Go value of type []handlers.jsonPatchOp`);
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new PatchError(
      "too-large",
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  return operations.map(decodeOperation);
}

function decodeOperation(operation: unknown): Operation {
  if (operation !== null && !isObject(operation)) {
    throw malformed(`json: cannot unmarshal ${goKind(operation)} into Go value of type handlers.jsonPatchOp`);
  }
  const members: Record<string, Json> = operation ?? {};
  return {
    op: text(members, "op") ?? "unknown",
    path: text(members, "path"),
    from: text(members, "from"),
    value: Object.hasOwn(members, "value") ? (members["value"] as Json) : null,
  };
}

function text(members: Record<string, Json>, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw malformed(`json: cannot unmarshal ${goKind(value)} into Go struct field jsonPatchOp.${name} of type string`);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function required(path: string | undefined, op: string, name: string): string {
  if (path === undefined) throw unprocessable(`${op} operation failed to decode ${name}: missing value`);
  return path;
}

function parentOf(root: Json, path: string, op: string, what: string): [Container, string] {
  return find(root, path) ?? missing(path, op, what);
}

/** For a change: the document is not the patch's own. */
function ownParentOf(target: Target, path: string, op: string, what: string): [Container, string] {
  return findOwn(target, path) ?? missing(path, op, what);
}

function missing(path: string, op: string, what: string): never {
  throw unprocessable(`${op} operation does not apply: doc is missing ${what}: ${describePath(path)}: missing value`);
}

function depthOf(path: string): number {
  let depth = 0;
  for (let i = 0; i < path.length; i++) if (path.charCodeAt(i) === 47) depth++;
  return depth;
}

function malformed(message: string): PatchError {
  return new PatchError("malformed", message);
}

function unprocessable(message: string): PatchError {
  return new PatchError("unprocessable", message);
}

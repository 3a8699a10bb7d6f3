import { readJson, writeJson } from "../../../language/object/exact-json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

/** Kind and apiVersion come first in every stored object, so that a list can strip them without parsing. */
export function encodeObject(object: KubeObject): Buffer {
  const { kind, apiVersion, metadata, ...rest } = object;
  return Buffer.from(writeJson({ kind, apiVersion, metadata, ...rest }));
}

/** The bytes that every object of this kind and version begins with. */
export function headOf(kind: string, apiVersion: string): Buffer {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
}

export function decodeObject(bytes: Buffer): KubeObject {
  return readJson(bytes.toString("utf8")) as unknown as KubeObject;
}

import { readJson } from "../object/exact-json.ts";
import { at, canonical, isObject, type JsonObject } from "../object/json.ts";
import type { KubeObject } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { compareObjects } from "./compare-objects.ts";
import { difference } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { fieldsOf } from "./field/fields-of.ts";
import { assertFitsType } from "./fits-type.ts";
import { PatchError } from "./patch-error.ts";

/** The annotation in which client-side `kubectl apply` stores its last configuration. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATIONS_SIZE = 256 * 1024;

/** The fields that client-side apply wrote and that are unchanged since; undefined if it never applied in this version. */
export function fieldsOfLastApplied(live: KubeObject, schema: Schema, apiVersion: string): FieldSet | undefined {
  const applied = readLastApplied(live);
  if (!isObject(applied?.metadata) || applied.apiVersion !== apiVersion) return undefined;
  try {
    assertFitsType(applied as unknown as KubeObject, schema);
    const { added, modified, removed } = compareObjects(applied, live, schema);
    return [added, modified, removed].reduce(difference, fieldsOf(applied, schema));
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}

/** Updates the annotation, if present, for a later client-side apply. Changes `object`. */
export function updateLastApplied(object: KubeObject, config: KubeObject): void {
  const annotations = object.metadata.annotations;
  if (!isObject(annotations) || !annotations[lastAppliedAnnotation]) return;
  const { [lastAppliedAnnotation]: _, ...others } = config.metadata.annotations ?? {};
  const metadata = config.metadata.annotations ? { ...config.metadata, annotations: others } : config.metadata;
  annotations[lastAppliedAnnotation] = `${canonical({ ...config, metadata })}\n`;
  let size = 0;
  for (const [name, value] of Object.entries(annotations)) size += name.length + value.length;
  if (size > MAX_ANNOTATIONS_SIZE) delete annotations[lastAppliedAnnotation];
}

/** The configuration in the annotation; undefined if there is none or it is malformed. */
export function readLastApplied(live: KubeObject): JsonObject | undefined {
  const text = at(live, "metadata", "annotations", lastAppliedAnnotation);
  if (typeof text !== "string") return undefined;
  try {
    const value = readJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { at, canonical, isObject } from "../object/json.ts";
import type { KubeObject } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { compareObjects } from "./compare-objects.ts";
import { difference } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { fieldsOf } from "./field/fields-of.ts";
import { assertFitsType } from "./fits-type.ts";
import { PatchError } from "./patch-error.ts";

/** The annotation in which client-side `kubectl apply` stores its last configuration. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATIONS_SIZE = 256 * 1024;

/** The fields that client-side apply wrote and that are unchanged since; undefined if it never applied in this version. */
export function fieldsOfLastApplied(live: KubeObject, schema: Schema, apiVersion: string): FieldSet | undefined {
  const applied = parse(at(live, "metadata", "annotations", LAST_APPLIED));
  if (applied === undefined || applied.apiVersion !== apiVersion) return undefined;
  try {
    assertFitsType(applied, schema);
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
  if (!isObject(annotations) || !annotations[LAST_APPLIED]) return;
  const { [LAST_APPLIED]: _, ...others } = config.metadata.annotations ?? {};
  const metadata = config.metadata.annotations ? { ...config.metadata, annotations: others } : config.metadata;
  annotations[LAST_APPLIED] = `${canonical({ ...config, metadata })}\n`;
  let size = 0;
  for (const [name, value] of Object.entries(annotations)) size += name.length + value.length;
  if (size > MAX_ANNOTATIONS_SIZE) delete annotations[LAST_APPLIED];
}

function parse(text: unknown): KubeObject | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isObject(value["metadata"]) ? (value as unknown as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

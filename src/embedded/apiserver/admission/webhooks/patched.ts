import { readJson } from "../../../../language/object/exact-json.ts";
import { clone, equal, isObject, type Json } from "../../../../language/object/json.ts";
import { apiVersionOf, type KubeObject } from "../../../../language/object/meta.ts";
import { applyJsonPatch } from "../../../../language/patch/json-patch/json-patch.ts";
import { PatchError } from "../../../../language/patch/patch-error.ts";
import { decodeCustom } from "../../custom/decode-custom.ts";
import { decodeBuiltin } from "../../kinds/decode/decode.ts";
import { DecodeError } from "../../kinds/decode/decoding.ts";
import { internal } from "../../status-error.ts";
import type { Kind } from "../admission.ts";
import { CallFailure } from "./ask-webhook.ts";
import type { ReviewAnswer } from "./review-answer.ts";
import type { Shown } from "./admission-review.ts";

/** The object after a webhook's patch, decoded and defaulted like a client's; undefined if it is unchanged. */
export function patched(webhook: string, shown: Shown, answer: ReviewAnswer): KubeObject | undefined {
  const operations = operationsIn(webhook, answer.patch);
  if (operations.length === 0) return undefined;
  if (!shown.object)
    throw internal(
      `admission webhook ${JSON.stringify(webhook)} attempted to modify the object, which is not supported for this operation`,
    );
  if (answer.patchType !== "JSONPatch")
    throw new CallFailure(webhook, `unsupported patch type ${JSON.stringify(answer.patchType)}`);
  const object = read(shown.kind, apply(shown.object, operations), shown.object);
  if (equal(shown.object, object)) return undefined;
  shown.kind.strategy.defaults?.(object);
  return object;
}

function operationsIn(webhook: string, patch: string | undefined): readonly Json[] {
  if (!patch) return [];
  const undecodable = (why: string): CallFailure =>
    new CallFailure(webhook, `received undecodable patch in webhook response: ${why}`);
  let parsed: Json;
  try {
    parsed = readJson(patch);
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  if (parsed === null) return [];
  if (!Array.isArray(parsed)) throw undecodable("json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  return parsed;
}

function apply(object: KubeObject, operations: readonly Json[]): Json {
  try {
    return applyJsonPatch(object as unknown as Json, operations);
  } catch (error) {
    if (error instanceof PatchError) throw internal(error.message, { cause: error });
    throw error;
  }
}

function read(kind: Kind, value: Json, before: KubeObject): KubeObject {
  if (!isObject(value)) throw internal("couldn't get version/kind; json parse error: the patched object is none");
  // A patch may remove kind and apiVersion, but not change them.
  const { kind: name = kind.kind, apiVersion = version(kind) } = value;
  if (name !== kind.kind || apiVersion !== version(kind))
    throw internal(`no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)}`);
  try {
    const { object } =
      kind.origin === "builtin" ? decodeBuiltin(value, kind.schema, before) : decodeCustom(clone(value) as never, kind);
    object.kind = kind.kind;
    object.apiVersion = version(kind);
    if (!isObject(object.metadata)) object.metadata = {};
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw internal(error.message, { cause: error });
    throw error;
  }
}

function version(kind: Kind): string {
  return apiVersionOf(kind.group, kind.version);
}

import { equal, isObject, type Json } from "../../../object/json.ts";
import { apiVersionOf, type KubeObject } from "../../../object/meta.ts";
import { applyJsonPatch } from "../../../patch/json-patch.ts";
import { PatchError } from "../../../patch/patch-error.ts";
import { decodeCustom } from "../../custom/decode-custom.ts";
import { decodeBuiltin, DecodeError } from "../../kinds/decode.ts";
import { internal } from "../../status-error.ts";
import type { Attributes, Kind } from "../admission.ts";
import { CallFailure } from "./ask-webhook.ts";
import type { ReviewAnswer } from "./review-answer.ts";
import { inVersion } from "./shown-version.ts";
import type { Candidate } from "./webhook-index.ts";

/** Puts what a webhook made of the object in its place, read as if a client had sent it. True if it is another. */
export function takePatch({ hook, shownAs }: Candidate, attributes: Attributes, answer: ReviewAnswer): boolean {
  const { name } = hook.webhook;
  const operations = operationsIn(name, answer.patch);
  if (operations.length === 0) return false;
  if (!attributes.object)
    throw internal(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (answer.patchType !== "JSONPatch")
    throw new CallFailure(name, `unsupported patch type ${JSON.stringify(answer.patchType)}`);
  const shown = inVersion(attributes.object, attributes, shownAs) as KubeObject;
  const kind: Kind = attributes.kind === attributes.resource ? shownAs : attributes.kind;
  const object = read(kind, apply(shown, operations));
  const changed = !equal(shown, object);
  kind.strategy.defaults?.(object);
  if (kind === shownAs && shownAs !== attributes.resource)
    object.apiVersion = apiVersionOf(attributes.resource.group, attributes.resource.version);
  attributes.object = object;
  return changed;
}

function operationsIn(webhook: string, patch: string | undefined): readonly Json[] {
  if (!patch) return [];
  const undecodable = (why: string): CallFailure =>
    new CallFailure(webhook, `received undecodable patch in webhook response: ${why}`);
  let parsed: Json;
  try {
    parsed = JSON.parse(patch) as Json;
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

function read(kind: Kind, value: Json): KubeObject {
  if (!isObject(value)) throw internal("couldn't get version/kind; json parse error: the patched object is none");
  // What it no longer says it still is; what it says to be another it cannot become.
  const { kind: name = kind.kind, apiVersion = version(kind) } = value;
  if (name !== kind.kind || apiVersion !== version(kind))
    throw internal(`no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)}`);
  try {
    const { object } =
      kind.origin === "builtin" ? decodeBuiltin(value, kind.schema) : decodeCustom(value as never, kind);
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

import { clone, isObject, type Json, type JsonObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { applyJsonPatch } from "../../../../language/patch/json-patch/json-patch.ts";
import { applyMergePatch } from "../../../../language/patch/merge-patch.ts";
import { assertFitsType } from "../../../../language/patch/fits-type.ts";
import { PatchError } from "../../../../language/patch/patch-error.ts";
import { applyScale, readScale as scaleOf, scaleToPatch, toScale } from "../../custom/scale.ts";
import { mediaType, parseJson, parseObject, parseYaml } from "../../body/body.ts";
import { atLeast } from "../../kinds/bounds.ts";
import { decodeBuiltin } from "../../kinds/decode/decode.ts";
import { DecodeError } from "../../kinds/decode/decoding.ts";
import { definitionOf } from "../../kinds/definitions.ts";
import type { Kind } from "../../admission/admission.ts";
import { apiVersion } from "../../registry.ts";
import type { Subresource } from "../../resource.ts";
import { badRequest, invalidObject, notFound, unsupportedMediaType } from "../../status-error.ts";
import { admit, attributesOf } from "../admission.ts";
import { appliedTo, statusOf } from "../apply.ts";
import type { Answer, RequestContext } from "../context.ts";
import { existing } from "../get.ts";
import { onNewest } from "../on-newest.ts";
import { writeOptions } from "../options.ts";
import { own, store } from "../update.ts";

type Scale = Extract<Subresource, { type: "scale" }>;

export async function readScale(context: RequestContext, part: Scale): Promise<Answer> {
  const { services, resource } = context;
  const entry = existing(context);
  const converting = services.views.ready([entry], resource);
  if (converting) await converting;
  const object = services.views.object(entry, resource);
  return { type: "object", code: 200, object: scaleOf(object, part) };
}

export interface ScaleWrite {
  readonly verb: string;
  readonly body: Buffer;
  readonly contentType: string | undefined;
}

/** A write of the scale is an update of its object, with admission and validation. */
export async function writeScale(
  context: RequestContext,
  part: Scale,
  { verb, body, contentType }: ScaleWrite,
): Promise<Answer> {
  const { resource, services, name } = context;
  const isApply = verb === "patch" && mediaType(contentType) === "application/apply-patch+yaml";
  const kind = verb === "patch" ? "PatchOptions" : "UpdateOptions";
  const options = writeOptions(context.query, kind, context.userAgent, isApply);
  const config = isApply ? scaledBy(context, (await parseYaml(String(body), "Scale")).value, part) : undefined;
  const sent = verb === "patch" ? undefined : (await parseObject(body, contentType, "Scale")).value;
  return onNewest(context, async (live) => {
    if (!live) throw notFound(resource.group, resource.plural, name);
    const old = services.views.object(live, resource);
    const applied = config && (await appliedTo(context, live, config, options));
    const scale = applied
      ? (toScale(applied, part) as unknown as Json)
      : sent === undefined
        ? patched(scaleToPatch(old, part), String(body), contentType)
        : clone(sent);
    if (!isObject(scale) || !isObject(scale.spec ?? {}))
      throw badRequest("the object provided is unrecognized (must be of type Scale)");
    const asked = attributesOf(context, {
      operation: "UPDATE",
      kind: scaleKind,
      object: resource.origin === "builtin" ? decoded(scale, name) : withMetadata(scale),
      old: toScale(old, part),
      dryRun: options.dryRun,
      options: () => options.as("UpdateOptions"),
    });
    const admitting = admit(context, asked);
    if (admitting) await admitting;
    const object = applyScale(applied ?? old, asked.object as KubeObject, part);
    const owning = own(context, { object, old, options, managed: applied ? "apply" : "update" });
    if (owning) await owning;
    const shown = (next: KubeObject): KubeObject => toScale(next, part);
    const answer = await store(context, { live, old, object, options, asked, shown });
    const converting = answer.type === "entry" ? services.views.ready([answer.entry], resource) : undefined;
    if (converting) await converting;
    const written =
      answer.type === "entry"
        ? services.views.object(answer.entry, resource)
        : (answer as { object: KubeObject }).object;
    return { type: "object", code: 200, object: toScale(written, part) };
  });
}

const scaleKind: Kind = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  origin: "builtin",
  strategy: {},
  get schema() {
    return definitionOf("autoscaling", "v1", "Scale");
  },
};

/** An applied Scale as a configuration of its object: the manager comes to own the replicas there. */
function scaledBy({ resource, name, namespace }: RequestContext, value: Json, part: Scale): KubeObject {
  if (!isObject(value) || value.apiVersion !== "autoscaling/v1" || value.kind !== "Scale")
    throw badRequest("the applied object must be a Scale of autoscaling/v1");
  const scale = withMetadata(value);
  try {
    assertFitsType(scale, scaleKind.schema);
  } catch (error) {
    throw error instanceof PatchError ? statusOf(error) : error;
  }
  const { resourceVersion } = scale.metadata;
  const metadata = { name, ...(namespace ? { namespace } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  const config: KubeObject = { apiVersion: apiVersion(resource), kind: resource.kind, metadata };
  return isObject(value.spec) && value.spec.replicas !== undefined ? applyScale(config, scale, part) : config;
}

function withMetadata(scale: JsonObject): KubeObject {
  return { ...scale, metadata: isObject(scale.metadata) ? scale.metadata : {} } as unknown as KubeObject;
}

/** Validation errors of a built-in kind's scale name the Scale, not the object. */
function decoded(scale: JsonObject, name: string): KubeObject {
  try {
    const { object } = decodeBuiltin(scale, definitionOf("autoscaling", "v1", "Scale"));
    const errors = atLeast((object as { spec?: { replicas?: number } }).spec?.replicas, 0, "spec.replicas");
    if (errors.length > 0) throw invalidObject("autoscaling", "Scale", name, errors);
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

function patched(scale: KubeObject, text: string, contentType: string | undefined): Json {
  const body = parseJson(text, "Scale").value;
  try {
    switch (mediaType(contentType)) {
      case "application/json-patch+json":
        return applyJsonPatch(clone(scale) as unknown as Json, body);
      case "application/merge-patch+json":
      // Scale has no lists: a strategic merge is a merge.
      case "application/strategic-merge-patch+json":
        return applyMergePatch(scale as unknown as Json, body);
      default:
        throw unsupportedMediaType(["application/json-patch+json", "application/merge-patch+json"]);
    }
  } catch (error) {
    if (error instanceof PatchError) throw badRequest(error.message);
    throw error;
  }
}

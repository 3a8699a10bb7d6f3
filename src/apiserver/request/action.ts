import type { ParsedBody } from "../body/body.ts";
import { notFound } from "../status-error.ts";
import type { Resource } from "../resource.ts";
import type { KubeObject } from "../../object/meta.ts";
import { admit, attributesOf, validate } from "./admission.ts";
import { timestamp, type Answer, type RequestContext } from "./context.ts";
import { placeInNamespace } from "./create.ts";
import { newest } from "./get.ts";
import { incoming } from "./incoming.ts";
import { writeOptions } from "./options.ts";
import { updateManagedFields } from "../../patch/managed-fields.ts";
import { apiVersion } from "../registry.ts";

/** Kinds that are computed, and deeds upon an object: the body is a question, the answer comes from the resource. */
export async function perform(context: RequestContext, body: ParsedBody): Promise<Answer> {
  const { resource, subresource, name } = context;
  const part = resource.subresources[subresource];
  if (part?.type === "action") {
    if (!newest(context)) throw notFound(resource.group, resource.plural, name);
    return answer(context, { ...resource, ...part, origin: "builtin", strategy: {} }, body, part.perform);
  }
  return answer(context, resource, body, resource.compute as NonNullable<Resource["compute"]>);
}

async function answer(
  context: RequestContext,
  of: Resource,
  body: ParsedBody,
  compute: NonNullable<Resource["compute"]>,
): Promise<Answer> {
  const options = writeOptions(context.query, "CreateOptions", context.userAgent);
  const question = incoming(of, body, options, context.warnings);
  placeInNamespace(context, question);
  question.metadata.managedFields = updateManagedFields({
    before: undefined,
    after: question,
    schema: of.schema,
    manager: options.fieldManager,
    apiVersion: apiVersion(of),
    subresource: context.subresource,
    time: timestamp(context.services.clock),
    ignored: undefined,
  });
  const { user, namespace, name } = context;
  const asked = attributesOf(context, {
    operation: "CREATE",
    kind: of,
    object: question,
    old: undefined,
    name: name || (question.metadata.name ?? ""),
    dryRun: options.dryRun,
    options: () => options.as("CreateOptions"),
  });
  const admitting = admit(context, asked);
  if (admitting) await admitting;
  const validating = validate(context, asked);
  if (validating) await validating;
  return {
    type: "object",
    code: 201,
    object: await compute(asked.object as KubeObject, { user, namespace, name, dryRun: options.dryRun }),
  };
}

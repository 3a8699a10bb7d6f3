import type { ParsedBody } from "../body/body.ts";
import { notFound } from "../status-error.ts";
import type { Resource, Subresource } from "../resource.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { admit, attributesOf, validate } from "./admission.ts";
import { timestamp, type Answer, type RequestContext } from "./context.ts";
import { placeInNamespace } from "./create.ts";
import { newest } from "./get.ts";
import { incoming } from "./incoming.ts";
import { writeOptions } from "./options.ts";
import { updateManagedFields } from "../../../language/patch/managed-fields.ts";
import { apiVersion } from "../registry.ts";

/** Creates of computed kinds, and actions on an object: the resource computes the response from the body. */
export async function perform(context: RequestContext, body: ParsedBody): Promise<Answer> {
  const { resource, subresource, name } = context;
  const part = resource.subresources[subresource];
  if (part?.type === "action") {
    if (!newest(context)) throw notFound(resource.group, resource.plural, name);
    const { defaults } = part;
    const strategy = defaults ? { defaults } : {};
    return answer(context, { ...resource, ...part, origin: "builtin", strategy }, body, part);
  }
  return answer(context, resource, body, { perform: resource.compute as NonNullable<Resource["compute"]> });
}

type Action = Pick<Extract<Subresource, { type: "action" }>, "prepare" | "perform">;

async function answer(
  context: RequestContext,
  of: Resource,
  body: ParsedBody,
  { prepare, perform }: Action,
): Promise<Answer> {
  const options = writeOptions(context.query, "CreateOptions", context.userAgent);
  const question = incoming(of, body, options, context.warnings);
  placeInNamespace(context, question);
  of.strategy.defaults?.(question);
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
  const circumstances = { user, namespace, name, dryRun: options.dryRun };
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
  prepare?.(asked.object as KubeObject, circumstances);
  const validating = validate(context, asked);
  if (validating) await validating;
  return { type: "object", code: 201, object: await perform(asked.object as KubeObject, circumstances) };
}

import type { AppliedObject, ApplyAnswer } from "../../../../console/protocol/answers.ts";
import { isApiError } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import { get, type JsonObject } from "../../../language/object/json.ts";
import type { Manifest } from "../../manifest/read-manifests.ts";
import { type ActionContext, RequestError } from "./action.ts";
import { fieldManager, namespaceOf, planFiles } from "./plan.ts";

/**
 * Plans again, and applies if the answer is the one that the user saw. Never forced: a conflict names the manager and the
 * field. Objects that the plan skips, which are of no use for tuning, are not written.
 */
export async function apply(body: JsonObject, context: ActionContext): Promise<ApplyAnswer> {
  const digest = get(body, "digest");
  if (typeof digest !== "string") throw new RequestError("digest: not a text");
  const { answer, manifests } = await planFiles(body, context);
  if (answer.type === "refused") return answer;
  if (answer.digest !== digest) return { type: "changed", answer };
  const skipped = new Set(answer.plan.skipped.map(({ place, kind, name }) => JSON.stringify([place, kind, name])));
  const planned = manifests.filter(
    ({ place, object: { kind, metadata } }) => !skipped.has(JSON.stringify([place, kind, metadata.name ?? ""])),
  );
  const discovery = new Discovery(context.cluster.client);
  const objects: AppliedObject[] = [];
  const namespace = namespaceOf(body) ?? "default";
  // In the order of the files, as kubectl does.
  for (const manifest of planned)
    objects.push(await applyOne(manifest, { client: context.cluster.client, discovery, namespace }));
  return { type: "applied", objects };
}

interface ApplyOptions {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly namespace: string;
}

async function applyOne({ place, object }: Manifest, options: ApplyOptions): Promise<AppliedObject> {
  const { kind, apiVersion, metadata } = object;
  const { name = "" } = metadata;
  const written = { place, kind, name };
  try {
    const of = await options.discovery.kind(apiVersion, kind);
    if (!of) return { ...written, error: `the cluster has no ${kind} of ${apiVersion}` };
    const namespace = of.namespaced ? (metadata.namespace ?? options.namespace) : undefined;
    const target = namespace === undefined ? {} : { namespace };
    // Once sent, it is not cut off when the page is closed: nobody would know whether it was written.
    await options.client.patch(
      of,
      name,
      { type: "apply", object: { ...object, metadata: { ...metadata, ...target } } },
      { ...target, fieldManager, fieldValidation: "Strict" },
    );
    return { ...written, ...target };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { ...written, error: error.message };
  }
}

import type { AppliedObject, ApplyAnswer } from "../../../../console/protocol/answers.ts";
import { isApiError } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import { get, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Manifest } from "../../manifest/read-manifests.ts";
import { type ActionContext, RequestError } from "./action.ts";
import { fieldManager, namespaceOf, planFiles, takesOver } from "./plan.ts";

/**
 * Plans again, and applies if the answer is the one that the user saw. Unless the user takes fields over, a conflict names the
 * manager and the field. Objects that the plan skips, which are of no use for tuning, are not written.
 */
export async function apply(body: JsonObject, context: ActionContext): Promise<ApplyAnswer> {
  const digest = get(body, "digest");
  if (typeof digest !== "string") throw new RequestError("digest: not a text");
  const { answer, manifests, cluster } = await planFiles(body, context);
  if (answer.type === "refused") return answer;
  if (answer.digest !== digest) return { type: "changed", answer };
  const skipped = new Set(answer.plan.skipped.map(({ place, kind, name }) => JSON.stringify([place, kind, name])));
  const planned = manifests.filter(
    ({ place, object: { kind, metadata } }) => !skipped.has(JSON.stringify([place, kind, metadata.name ?? ""])),
  );
  const discovery = new Discovery(cluster.client);
  const namespace = namespaceOf(body) ?? "default";
  const { client } = cluster;
  return {
    type: "applied",
    objects: await applyAll(planned, { client, discovery, namespace, takesOver: takesOver(body) }),
  };
}

/** In the order of the files, as kubectl does. After an API server that does not answer, nothing more is sent. */
export async function applyAll(manifests: readonly Manifest[], options: ApplyOptions): Promise<AppliedObject[]> {
  const objects: AppliedObject[] = [];
  for (const manifest of manifests) {
    const { place, object } = manifest;
    const about = { place, kind: object.kind, name: object.metadata.name ?? "" };
    const isLost = objects.at(-1)?.lost !== undefined;
    objects.push(isLost ? { ...about, ...unsent } : { ...about, ...(await applyOne(object, options)) });
  }
  return objects;
}

const unsent = { error: "not tried: the API server did not answer before", lost: "unsent" } as const;

interface ApplyOptions {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly namespace: string;
  readonly takesOver: boolean;
}

type Outcome = Pick<AppliedObject, "namespace" | "error" | "lost">;

async function applyOne(
  object: KubeObject,
  { client, discovery, namespace: usual, takesOver: force }: ApplyOptions,
): Promise<Outcome> {
  const { kind, apiVersion, metadata } = object;
  let isSent = false;
  try {
    const of = await discovery.kind(apiVersion, kind);
    if (!of) return { error: `the cluster has no ${kind} of ${apiVersion}` };
    const target = of.namespaced ? { namespace: metadata.namespace ?? usual } : {};
    isSent = true;
    // Once sent, it is not cut off when the page is closed: nobody would know whether it was written.
    await client.patch(
      of,
      metadata.name ?? "",
      { type: "apply", object: { ...object, metadata: { ...metadata, ...target } }, force },
      { ...target, fieldManager, fieldValidation: "Strict" },
    );
    return target;
  } catch (error) {
    if (!isApiError(error)) throw error;
    // Any code but 0 is an answer.
    if (error.code !== 0) return { error: error.message };
    const isRefused = get(error.cause, "code") === "ECONNREFUSED";
    return { error: error.message, lost: isSent && !isRefused ? "unknown" : "unsent" };
  }
}

import type { PlanAnswer } from "../../../../console/protocol/answers.ts";
import { canonical, get, isObject, type JsonObject } from "../../../language/object/json.ts";
import { type Manifest, readTexts } from "../../manifest/read-manifests.ts";
import { type PlanDocument, planObjects } from "../../plan/plan-objects.ts";
import { hashOf } from "../http/sessions.ts";
import { type ActionContext, RequestError } from "./action.ts";

/** Of what the console applies. */
export const fieldManager = "attune-console";

/** What applying files would do, by dry runs of server-side apply with the rights of the user. */
export async function plan(body: JsonObject, context: ActionContext): Promise<PlanAnswer> {
  return (await planFiles(body, context)).answer;
}

export interface PlannedFiles {
  readonly answer: PlanAnswer;
  readonly manifests: readonly Manifest[];
}

export async function planFiles(body: JsonObject, { cluster, signal }: ActionContext): Promise<PlannedFiles> {
  const { manifests, problems } = await readTexts(filesOf(body));
  if (problems.length > 0) return refused(problems, manifests);
  if (manifests.length === 0) return refused(["there are no objects in it"], manifests);
  const namespace = namespaceOf(body);
  const planned = await planObjects({ client: cluster.client, manifests, namespace, applyAs: fieldManager, signal });
  if (planned.type === "refused") return refused(planned.problems, manifests);
  const { document } = planned;
  const digest = hashOf(canonical(document));
  return { answer: { type: "plan", plan: document, digest, reboots: rebootsOf(document) }, manifests };
}

export function namespaceOf(body: JsonObject): string | undefined {
  const namespace = get(body, "namespace");
  if (namespace !== undefined && typeof namespace !== "string") throw new RequestError("namespace: not a text");
  return namespace;
}

function refused(problems: readonly string[], manifests: readonly Manifest[]): PlannedFiles {
  return { answer: { type: "refused", problems }, manifests };
}

function filesOf(body: JsonObject): { name: string; text: string }[] {
  const files = get(body, "files");
  if (!Array.isArray(files)) throw new RequestError("files: not a list");
  return files.map((file: unknown) => {
    const [name, text] = isObject(file) ? [get(file, "name"), get(file, "text")] : [];
    if (typeof name !== "string" || typeof text !== "string")
      throw new RequestError("files: each has a name and a text");
    return { name, text };
  });
}

/** Each node once, in the order in which the pools tell them. */
function rebootsOf({ pools }: PlanDocument): string[] {
  const nodes = pools.flatMap(({ updates }) =>
    updates.flatMap(({ level, nodes: of }) => (level === "reboot" ? of : [])),
  );
  return [...new Set(nodes)];
}

import type { PlanAnswer, PlanFile } from "../../../../console/protocol/answers.ts";
import { canonical, get, isObject, type JsonObject } from "../../../language/object/json.ts";
import { type Manifest, readTexts } from "../../manifest/read-manifests.ts";
import { type PlanDocument, planObjects } from "../../plan/plan-objects.ts";
import { hashOf } from "../http/sessions.ts";
import type { UserCluster } from "../topics/topic-context.ts";
import { type ActionContext, RequestError } from "./action.ts";
import { plannedCluster } from "./planned-cluster.ts";
import { withLines } from "./problem-line.ts";

/** Of what the console applies. */
export const fieldManager = "attune-console";

/** What applying files would do, by dry runs of server-side apply with the rights of the user. */
export async function plan(body: JsonObject, context: ActionContext): Promise<PlanAnswer> {
  return (await planFiles(body, context)).answer;
}

export interface PlannedFiles {
  readonly answer: PlanAnswer;
  readonly manifests: readonly Manifest[];
  /** The one that was asked. */
  readonly cluster: UserCluster;
}

export async function planFiles(body: JsonObject, context: ActionContext): Promise<PlannedFiles> {
  const { signal } = context;
  const files = filesOf(body);
  const { manifests, problems } = await readTexts(files);
  const cluster = await plannedCluster(manifests, context);
  const refused = async (texts: readonly string[], canTakeOver = false): Promise<PlannedFiles> => {
    return { answer: { type: "refused", problems: await withLines(texts, files), canTakeOver }, manifests, cluster };
  };
  if (problems.length > 0) return refused(problems);
  if (manifests.length === 0) return refused(["there are no objects in it"]);
  const namespace = namespaceOf(body);
  const applyAs = { manager: fieldManager, takesOver: takesOver(body) };
  const planned = await planObjects({ client: cluster.client, manifests, namespace, applyAs, signal });
  if (planned.type === "refused") return refused(planned.problems, planned.isTaken);
  const { document } = planned;
  const digest = hashOf(canonical(document));
  const answer = { type: "plan", plan: document, digest, cluster: cluster.name, reboots: rebootsOf(document) } as const;
  return { answer, manifests, cluster };
}

export function namespaceOf(body: JsonObject): string | undefined {
  const namespace = get(body, "namespace");
  if (namespace !== undefined && typeof namespace !== "string") throw new RequestError("namespace: not a text");
  return namespace;
}

/** Whether fields of other managers are set all the same. */
export function takesOver(body: JsonObject): boolean {
  return get(body, "takeOver") === true;
}

function filesOf(body: JsonObject): PlanFile[] {
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

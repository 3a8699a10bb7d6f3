import type { AccessRow, ActionName, Rule } from "../../../../console/protocol/topics.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { nodePoolKind } from "../../../domain/node-pool/api.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { type KindRef, parseApiVersion } from "../../../language/object/meta.ts";
import { everyMinute } from "./every-minute.ts";
import type { TopicContext } from "./topic-context.ts";

const machineConfigs = { apiVersion: machineConfigPoolKind.apiVersion, plural: "machineconfigs" };

/** The rule that each action of the page needs. */
export const ruleOfAction = {
  "write tuneds": on("patch", tunedKind, tuningNamespace),
  "write profiles": on("patch", performanceProfileKind),
  "write machine configs": on("patch", machineConfigs),
  "pause pools": on("patch", machineConfigPoolKind),
  "pause node pools": on("patch", nodePoolKind),
  "read values of nodes": { verb: "create", group: "", resource: "pods/exec", namespace: tuningNamespace },
  "read values of virtual nodes": { verb: "get", group: "", resource: "nodes/proxy", namespace: "" },
} satisfies Record<ActionName, Rule>;

/**
 * What the user may do, in the words of the API server. The page shows what it cannot do as disabled; what it tries all the
 * same, the API server refuses.
 */
export function openAccess(context: TopicContext<"access">): void {
  context.setSource("SelfSubjectAccessReview", { state: "loading" });
  everyMinute(context, async () => {
    try {
      await Promise.all(
        Object.entries(ruleOfAction).map(async ([name, rule]) => context.set(name, await reviewed(context, rule))),
      );
      context.setSource("SelfSubjectAccessReview", { state: "ready" });
    } catch (error) {
      if (context.signal.aborted) return;
      context.setSource("SelfSubjectAccessReview", { state: "failed", message: errorText(error) });
    }
  });
}

/** NodePools are in the management cluster, whichever the page shows: one of the clusters must allow it. */
async function reviewed({ client, clusters }: TopicContext<"access">, rule: Rule): Promise<AccessRow> {
  if (rule !== ruleOfAction["pause node pools"]) return review(client, rule);
  const answers = await Promise.allSettled(Array.from(clusters.values(), (cluster) => review(cluster.client, rule)));
  const known = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  return known.find(({ allowed }) => allowed) ?? known[0] ?? review(client, rule);
}

async function review(client: Client, rule: Rule): Promise<AccessRow> {
  const { verb, group, namespace } = rule;
  const [resource = "", subresource] = rule.resource.split("/");
  const answer = await client.create(kinds.selfSubjectAccessReview, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec: { resourceAttributes: { verb, group, resource, namespace, ...(subresource ? { subresource } : {}) } },
  });
  return { ...rule, allowed: answer.status?.allowed === true };
}

function on(verb: string, { apiVersion, plural }: Pick<KindRef, "apiVersion" | "plural">, namespace = ""): Rule {
  return { verb, group: parseApiVersion(apiVersion).group, resource: plural, namespace };
}

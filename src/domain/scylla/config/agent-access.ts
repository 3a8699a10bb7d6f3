import { rbacObjects } from "../../../language/object/grant.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { agentServiceAccount, tuningNamespace } from "../names.ts";
import { scyllaAgentGrants } from "../on-node/agent-grants.ts";

/** The ServiceAccount of agents and their rights, which the operator creates, repairs and deletes. */
export function agentAccess(): KubeObject[] {
  return rbacObjects(agentServiceAccount, { namespace: tuningNamespace, name: agentServiceAccount }, scyllaAgentGrants);
}

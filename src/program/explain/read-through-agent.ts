import { runInPod } from "../../cluster/kube/exec/run-in-pod.ts";
import type { HttpClient } from "../../cluster/kube/http-client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { agentContainerName } from "../../domain/node-tuning/agent-daemon-set.ts";
import type { SettingExplanation } from "../../domain/node-tuning/explain/settings.ts";
import { isObject } from "../../language/object/json.ts";

export interface AgentOfNode {
  readonly client: HttpClient;
  readonly node: string;
  /** Of the agents. */
  readonly namespace: string;
  readonly signal?: AbortSignal | undefined;
}

export type AgentAnswer =
  | { readonly type: "read"; readonly settings: readonly SettingExplanation[] }
  | { readonly type: "unread"; readonly because: string };

const command = ["attune", "agent", "--read", "--root", "/host"];

/** The settings of a node with the values that it has now: its agent's pod reads them, with the user's right to run programs in pods. */
export async function readThroughAgent({ client, node, namespace, signal }: AgentOfNode): Promise<AgentAnswer> {
  const unread = (because: string): AgentAnswer => ({ type: "unread", because });
  const labelSelector = "openshift-app=tuned";
  const pods = await client.list(kinds.pod, {
    namespace,
    labelSelector,
    fieldSelector: `spec.nodeName=${node}`,
    signal,
  });
  const running = pods.items.find(
    ({ metadata, status }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
  );
  const { name = "" } = running?.metadata ?? {};
  if (!running)
    return unread(`no agent runs on ${node}: no pod of namespace ${namespace} with ${labelSelector} is there`);
  if (!running.spec?.containers.some((one) => one.name === agentContainerName))
    return unread(`pod ${namespace}/${name} is not Attune's: only Attune's agents read values`);
  const program = { namespace, pod: name, container: agentContainerName, command };
  const end = await runInPod(client, program, { signal });
  const told = `${command.join(" ")} in pod ${namespace}/${name}`;
  if (end.type === "failed") return unread(`${told} did not run: ${end.message}`);
  if (end.code !== 0) return unread(`${told} ended with exit code ${end.code}: ${end.stderr.trim().slice(0, 2000)}`);
  const settings = settingsIn(end.stdout);
  return settings ? { type: "read", settings } : unread(`${told} printed something else than settings`);
}

/** A node may be in foreign hands: only what has the form of settings is passed on. */
function settingsIn(text: string): SettingExplanation[] | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Array.isArray(read) && read.every(isSetting) ? read : undefined;
}

function isSetting(value: unknown): value is SettingExplanation {
  if (!isObject(value)) return false;
  const { unit, option, wanted, from, state, overrides, actual, note, since } = value;
  const areTexts = [unit, option, wanted, from, state].every((one) => typeof one === "string");
  const mayBeTexts = [actual, note, since].every((one) => one === undefined || typeof one === "string");
  return areTexts && mayBeTexts && Array.isArray(overrides) && overrides.every(isOverride);
}

function isOverride(value: unknown): boolean {
  return isObject(value) && typeof value["value"] === "string" && typeof value["from"] === "string";
}

import type { ReadAnswer } from "../../../../console/protocol/answers.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { nodeStory } from "../../../domain/fleet/node-story.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { SettingExplanation } from "../../../domain/node-tuning/explain/settings.ts";
import type { JsonObject } from "../../../language/object/json.ts";
import { formatTime } from "../../../language/object/time.ts";
import { gatherNode, wantedSpec } from "../../explain/gather-node.ts";
import { isVirtual } from "../../explain/is-virtual.ts";
import { MachineHost } from "../../explain/machine-host.ts";
import { readNodeValues } from "../../explain/node-values.ts";
import { readThroughAgent } from "../../explain/read-through-agent.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { type ActionContext, RequestError } from "./action.ts";

/** The settings of a node with the values that it has now, as `attune explain node --root` on the node itself says. */
export async function read(body: JsonObject, { cluster: { client }, signal }: ActionContext): Promise<ReadAnswer> {
  const { node: name } = body;
  if (typeof name !== "string" || name === "") throw new RequestError("node: not a name");
  const node = await client.get(kinds.node, name, { signal });
  const at = formatTime(Date.now());
  if (isVirtual(node)) return { at, settings: await readVirtual(name, { client, signal }) };
  const answer = await readThroughAgent({ client, node: name, namespace: tuningNamespace, signal });
  if (answer.type === "unread") throw new RequestError(answer.because);
  return { at, settings: answer.settings };
}

/** Through the node's proxy, as its logs are read. */
async function readVirtual(
  name: string,
  { client: whole, signal }: Pick<ActionContext["cluster"], "client"> & Pick<ActionContext, "signal">,
): Promise<readonly SettingExplanation[]> {
  const client = readOnlyClient(whole);
  const input = await gatherNode(name, { client, namespace: tuningNamespace, now: Date.now(), signal });
  const spec = input && wantedSpec(input);
  if (!spec) throw new RequestError(`node ${name} has no profile to read the values of`);
  const found = await readNodeValues(spec, new MachineHost(client, name, signal), false);
  return nodeStory({ ...input, found })?.settings ?? [];
}

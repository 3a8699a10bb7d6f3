import type { ReadAnswer } from "../../../../console/protocol/answers.ts";
import { nodeStory } from "../../../domain/fleet/node-story.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { JsonObject } from "../../../language/object/json.ts";
import { formatTime } from "../../../language/object/time.ts";
import { gatherNode, wantedSpec } from "../../explain/gather-node.ts";
import { MachineHost } from "../../explain/machine-host.ts";
import { readNodeValues } from "../../explain/node-values.ts";
import { readMachine } from "../../explain/read-machine.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { type ActionContext, RequestError } from "./action.ts";

/** A file that every virtual node has. */
const anyFile = "/proc/sys/kernel/random/boot_id";

/** The settings of a node with the values that it has now, as `attune explain node --root` on the node itself says. */
export async function read(body: JsonObject, { cluster, signal }: ActionContext): Promise<ReadAnswer> {
  const { node: name } = body;
  if (typeof name !== "string" || name === "") throw new RequestError("node: not a name");
  const client = readOnlyClient(cluster.client);
  const now = Date.now();
  const input = await gatherNode(name, { client, namespace: tuningNamespace, now, signal });
  const spec = input && wantedSpec(input);
  if (!spec) throw new RequestError(`node ${name} has no profile to read the values of`);
  const machine = await readMachine(client, { node: name, path: anyFile, signal });
  if (machine.type === "missing")
    throw new RequestError(
      `${name} is no virtual node, and the console cannot run programs in pods yet. Its values come from: ${execCommand(name)}`,
    );
  const found = await readNodeValues(spec, new MachineHost(client, name, signal), false);
  return { at: formatTime(now), settings: nodeStory({ ...input, found })?.settings ?? [] };
}

/** What a user with the right to run programs in pods can do instead. */
function execCommand(node: string): string {
  const pod = `$(kubectl -n ${tuningNamespace} get pod -l openshift-app=tuned --field-selector spec.nodeName=${node} -o name)`;
  return `kubectl -n ${tuningNamespace} exec ${pod} -- attune tuned verify --root /host`;
}

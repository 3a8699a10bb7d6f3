import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { profileKind } from "../../../domain/node-tuning/api.ts";
import { explainSettings } from "../../../domain/node-tuning/explain/settings.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import { readNodeValues } from "../../explain/node-values.ts";
import type { agentCommandFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { serialised } from "../terminal/serialise.ts";
import { writeOut } from "../terminal/terminal.ts";
import { OneShotHost } from "../tuned/one-shot-host.ts";

/** `attune agent --read`: what the console runs in the agent's pod for the values that a node has now. Changes nothing there. */
export async function agentRead(options: Values<typeof agentCommandFlags>): Promise<void> {
  const { node, namespace, root } = options;
  if (node === undefined) throw new Error("--node is required, or NODE_NAME in the environment");
  const client = new HttpClient(await loadConnection(options));
  try {
    const { spec } = await client.get(profileKind, node, { namespace });
    const { expected, settings } = await readNodeValues(spec, new OneShotHost(root), false);
    if (expected.type === "invalid")
      throw new Error(`profile ${spec.config.tunedProfile}: ${expected.problems.map(formatProblem).join("; ")}`);
    writeOut(await serialised(explainSettings(expected.profile, { type: "found", settings }), "json"));
  } finally {
    client.close();
  }
}

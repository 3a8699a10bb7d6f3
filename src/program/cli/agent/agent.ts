import { runAgent } from "../../agent/agent.ts";
import { launchAt } from "../../../node/engine/tuned-daemon/launch.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { writeImageFile } from "../../../node/on-node/one-shot.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { agentOptions } from "./arguments.ts";
import { connectionOption, type Options } from "../option/connection-option.ts";
import { version } from "../version.ts";

/** `attune agent`: tunes one node by its Profile until it is told to stop. */
export async function agent(options: Options, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { root, ...given } = agentOptions(options, env);
  const connection = await connectionOption(options);
  const { signal } = stopOnSignals();
  const unlock = await lockEngine(root);
  // Its requests are small, and one that hangs holds up whatever the next Profile wants.
  const client = new HttpClient(connection, { timeoutMs: 20_000 });
  try {
    const log = await createLog({ name: "agent" });
    process.stdout.write(`attune ${version} agent of node ${given.node}, on ${connection.cluster.server}\n`);
    const host = new LinuxHost(root);
    const image = env["CLUSTER_NODE_TUNED_IMAGE"];
    if (image) {
      const outcome = await writeImageFile(host, image);
      if (outcome.type === "failed")
        log.warn({ why: outcome.message }, "the node will not be tuned before its first pod");
    }
    await runAgent({ ...given, client, host, launch: launchAt(root), signal, log });
  } finally {
    client.close();
    await unlock();
  }
}

import { type AgentOptions, runAgent } from "../../agent/agent.ts";
import { launchAt } from "../../../node/engine/tuned-daemon/launch.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { logFailure } from "../../../cluster/runtime/log/log-failure.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { agentCommandFlags, agentFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { logOptions } from "../option/shared-flags.ts";
import { version } from "../../version.ts";
import { imageVariable, prepareNextBoot } from "./prepare-next-boot.ts";

/** `attune agent`: applies the Profile of one node until SIGTERM or SIGINT. */
export async function agent(options: Values<typeof agentCommandFlags>, env = process.env): Promise<void> {
  const { root } = options;
  const given = agentOptions(options);
  const connection = await loadConnection(options);
  const { signal } = stopOnSignals();
  const unlock = await lockEngine(root);
  // Its requests are small, and one that hangs would delay the next Profile.
  const client = new HttpClient(connection, { timeoutMs: 20_000 });
  try {
    const log = await createLog({ name: "agent", ...logOptions(options) });
    log.info({}, `attune ${version} agent of node ${given.node}, on ${connection.cluster.server}`);
    const host = new LinuxHost(root);
    const { machineConfig } = given;
    await prepareNextBoot({ host, image: env[imageVariable], machineConfig, log });
    await logFailure(log, () => runAgent({ ...given, client, host, launch: launchAt(root), signal, log }));
  } finally {
    client.close();
    await unlock();
  }
}

/** What `runAgent` takes of the flags. */
export function agentOptions(flags: Values<typeof agentFlags>): Pick<
  AgentOptions,
  | "engine"
  | "exec"
  | "bootArguments"
  | "machineConfig"
  | "namespace"
  | "protocol"
  | "rollbackOnExit"
  | "resyncIntervalMs"
  | "probeAddress"
> & {
  readonly node: string;
} {
  const { node, resyncInterval, engine, exec, bootArguments, namespace, protocol, rollbackOnExit } = flags;
  const { probeAddress, machineConfig } = flags;
  if (node === undefined) throw new Error("--node is required, or NODE_NAME in the environment");
  const resyncIntervalMs = resyncInterval;
  const cluster = { namespace, protocol, machineConfig };
  return { node, engine, exec, bootArguments, ...cluster, rollbackOnExit, resyncIntervalMs, probeAddress };
}

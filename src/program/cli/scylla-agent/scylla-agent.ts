import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { logFailure } from "../../../cluster/runtime/log/log-failure.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { CriRuntime } from "../../../node/scylla/cri/cri-runtime.ts";
import { runScyllaAgent, type ScyllaAgentOptions } from "../../scylla-agent/scylla-agent.ts";
import type { scyllaAgentCommandFlags, scyllaAgentFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { logOptions } from "../option/shared-flags.ts";
import { version } from "../../version.ts";

/** `attune scylla-agent`: tunes a node for the databases on it until SIGTERM or SIGINT. */
export async function scyllaAgent(flags: Values<typeof scyllaAgentCommandFlags>): Promise<void> {
  const given = scyllaAgentOptions(flags);
  const connection = await loadConnection(flags);
  const { signal } = stopOnSignals();
  const client = new HttpClient(connection, { timeoutMs: 20_000 });
  try {
    const log = await createLog({ name: "scylla-agent", ...logOptions(flags) });
    log.info({}, `attune ${version} Scylla agent of node ${given.node}, on ${connection.cluster.server}`);
    const host = new LinuxHost(flags.root);
    const runtime = new CriRuntime({ endpoints: flags.runtimeEndpoint, locate: (path) => locate(host, path) });
    await logFailure(log, () => runScyllaAgent({ ...given, client, host, runtime, signal, log }));
  } finally {
    client.close();
  }
}

/** What `runScyllaAgent` takes of the flags. */
export function scyllaAgentOptions(
  flags: Values<typeof scyllaAgentFlags>,
): Pick<ScyllaAgentOptions, "node" | "config" | "image" | "utilsImage" | "probeAddress"> {
  const { node, config, image, utilsImage, probeAddress } = flags;
  if (node === undefined) throw new Error("--node is required, or NODE_NAME in the environment");
  return { node, config, image, utilsImage, probeAddress };
}

/** Links are followed as on the node: `/var/run` is one, and a socket may be one. */
async function locate(host: LinuxHost, path: string): Promise<string | undefined> {
  if ((await host.stat(path)).type === "missing") return undefined;
  const found = await host.locate(path);
  return found.type === "path" ? found.path : undefined;
}

import { agentServiceAccount } from "../agent/rbac.ts";
import type { Client } from "../kube/client.ts";
import { HttpClient } from "../kube/http-client.ts";
import { tuningNamespace } from "../node-tuning/api.ts";
import { type ClusterFeatures, clusterFeatures, plain } from "../operator/cluster-features.ts";
import { runOperator } from "../operator/operator.ts";
import { createLog } from "../runtime/log.ts";
import { countRequests } from "../runtime/metrics.ts";
import { createPromMetrics } from "../runtime/prom-metrics.ts";
import { stopOnSignals } from "../runtime/signals.ts";
import { connectionOption, type Options } from "./connection-option.ts";
import { type OperatorMode, operatorMode, protocolOption } from "./operator-mode.ts";
import { defaultImage, version } from "./version.ts";

/** `attune operator`: says what the cluster has and who acts, then runs until it is told to stop. */
export async function operator(options: Options, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const mode = operatorMode(options.mode);
  const protocol = protocolOption(options.protocol);
  const connection = await connectionOption(options);
  const { signal } = stopOnSignals();
  const metrics = await createPromMetrics();
  const client = new HttpClient(connection, { onRequest: countRequests(metrics) });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const namespace = text(options.namespace) ?? env["WATCH_NAMESPACE"] ?? tuningNamespace;
  const features = await featuresOf(mode, client, signal);
  say(`attune ${version} operator, mode ${mode}, on ${connection.cluster.server}`);
  try {
    await runOperator({
      client,
      signal,
      namespace,
      image: text(options.image) ?? env["CLUSTER_NODE_TUNED_IMAGE"] ?? defaultImage,
      agentServiceAccount,
      agentArguments: [
        ...(namespace === tuningNamespace ? [] : ["--namespace", namespace]),
        ...(protocol === "documented" ? [] : ["--protocol", protocol]),
      ],
      version,
      release: env["RELEASE_VERSION"] ?? "",
      protocol,
      ...(features ? { features } : {}),
      leaderElection: options.leaderElection !== false,
      ...(text(options.probeAddress) === undefined ? {} : { probeAddress: text(options.probeAddress) }),
      log: await createLog({ name: "operator" }),
      metrics,
      tell: say,
    });
  } finally {
    client.close();
  }
}

/** What the cluster is taken to have; nothing where that is to be found out. */
async function featuresOf(
  mode: OperatorMode,
  client: Client,
  signal: AbortSignal,
): Promise<ClusterFeatures | undefined> {
  if (mode === "auto") return undefined;
  if (mode === "plain") return plain;
  const features = await clusterFeatures(client, signal);
  if (!features.machineConfigPools)
    throw new Error("--mode standalone: the cluster has no MachineConfigPools; attune crds prints their definitions");
  return features;
}

function text(value: Options[string]): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

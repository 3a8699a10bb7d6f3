import { loadConnection } from "../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../cluster/kube/http-client.ts";
import { createLog } from "../../cluster/runtime/log/log.ts";
import { logFailure } from "../../cluster/runtime/log/log-failure.ts";
import { countRequests } from "../../cluster/runtime/metrics/metrics.ts";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import { stopOnSignals } from "../../cluster/runtime/signals.ts";
import { clusterApiProvider } from "../../domain/node-pool/cluster-api.ts";
import { type ManagementOptions, runManagement } from "../management/management.ts";
import type { managementCommandFlags, managementFlags } from "./flags.ts";
import type { Values } from "./option/flag.ts";
import { logOptions } from "./option/shared-flags.ts";
import { version } from "../version.ts";

/** `attune management`: runs until SIGTERM or SIGINT. */
export async function management(options: Values<typeof managementCommandFlags>): Promise<void> {
  const connection = await loadConnection(options);
  const { signal } = stopOnSignals();
  const metrics = await createPromMetrics();
  const client = new HttpClient(connection, { onRequest: countRequests(metrics) });
  const log = await createLog({ name: "management", ...logOptions(options) });
  log.info({}, `attune ${version} management, on ${connection.cluster.server}`);
  try {
    await logFailure(log, () => runManagement({ ...managementOptions(options), client, signal, metrics, log }));
  } finally {
    client.close();
  }
}

/** What these flags say. */
export function managementOptions({
  namespace,
  image,
  machineProvider,
  protocol,
  probeAddress,
  leaderElection,
}: Values<typeof managementFlags>): Omit<ManagementOptions, "client" | "signal"> {
  const provider = { auto: "auto", "cluster-api": clusterApiProvider, none: undefined } as const;
  return { namespace, image, provider: provider[machineProvider], protocol, probeAddress, leaderElection };
}

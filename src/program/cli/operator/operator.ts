import type { Connection } from "../../../cluster/kube/connect/connection.ts";
import { inClusterConnection, loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { logFailure } from "../../../cluster/runtime/log/log-failure.ts";
import { countRequests } from "../../../cluster/runtime/metrics/metrics.ts";
import { createPromMetrics } from "../../../cluster/runtime/metrics/prom-metrics.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { operatorCommandFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { logOptions } from "../option/shared-flags.ts";
import { version } from "../../version.ts";
import { isHosted, runOperatorWith } from "./run-operator.ts";

/** `attune operator`: logs which features the cluster has, and runs until SIGTERM or SIGINT. */
export async function operator(options: Values<typeof operatorCommandFlags>): Promise<void> {
  const hosting = isHosted(options, process.env) ? await managementConnection(options.managementKubeconfig) : undefined;
  const connection = await loadConnection(options);
  const { signal } = stopOnSignals();
  const metrics = await createPromMetrics();
  const client = new HttpClient(connection, { onRequest: countRequests(metrics) });
  const management = hosting && new HttpClient(hosting);
  const log = await createLog({ name: "operator", ...logOptions(options) });
  const print = (line: string): void => log.info({}, line);
  print(`attune ${version} operator, mode ${management ? "hosted" : options.mode}, on ${connection.cluster.server}`);
  try {
    await logFailure(log, () =>
      runOperatorWith(options, process.env, { client, management, signal, metrics, print, log }),
    );
  } finally {
    client.close();
    management?.close();
  }
}

async function managementConnection(kubeconfig: string | undefined): Promise<Connection> {
  if (kubeconfig !== undefined) return loadConnection({ kubeconfig });
  const connection = await inClusterConnection();
  if (connection) return connection;
  throw new Error("--mode hosted: runs in no pod of the management cluster; use --management-kubeconfig");
}

import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { countRequests } from "../../../cluster/runtime/metrics/metrics.ts";
import { createPromMetrics } from "../../../cluster/runtime/metrics/prom-metrics.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { connectionOption, type Options } from "../option/connection-option.ts";
import { operatorArguments, runOperatorWith } from "./arguments.ts";
import { version } from "../version.ts";

/** `attune operator`: says what the cluster has and who acts, then runs until it is told to stop. */
export async function operator(options: Options): Promise<void> {
  const given = operatorArguments(options, process.env);
  const connection = await connectionOption(options);
  const { signal } = stopOnSignals();
  const metrics = await createPromMetrics();
  const client = new HttpClient(connection, { onRequest: countRequests(metrics) });
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  tell(`attune ${version} operator, mode ${given.mode}, on ${connection.cluster.server}`);
  try {
    await runOperatorWith(given, { client, signal, metrics, tell, log: await createLog({ name: "operator" }) });
  } finally {
    client.close();
  }
}

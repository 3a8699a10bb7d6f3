import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { createLog } from "../../src/cluster/runtime/log/log.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { stopOnSignals } from "../../src/cluster/runtime/signals.ts";
import { systemNamespace as namespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import type { AdmissionHandler } from "../../src/program/webhook/handler.ts";
import { webhookSecret } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";

/** Started by `pod-admission.ts` as a process: `attune webhook`, with one more handler that allows everything. */
const noOp: AdmissionHandler = {
  name: "no-op",
  type: "mutating",
  rules: [{ apiGroups: ["attune.dev"], apiVersions: ["v1"], resources: ["nothing"], operations: ["CREATE"] }],
  entries: [{ failurePolicy: "Ignore" }],
  review: () => ({ type: "allow" }),
};

const [kubeconfig] = process.argv.slice(2);
const client = new HttpClient(await loadConnection({ kubeconfig }));
const log = await createLog({ name: "webhook" });
const { handlers, ...parts } = attuneHandlers(client, { namespace, log });
await runWebhook({
  client,
  signal: stopOnSignals().signal,
  handlers: { ...handlers, admission: [...handlers.admission, noOp] },
  ...parts,
  host: "127.0.0.1",
  port: 0,
  target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
  secret: { namespace, name: webhookSecret },
  log,
  metrics: await createPromMetrics(),
  onReady: (address) => console.log(`ready https://${address}`),
});

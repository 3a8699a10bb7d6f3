import { isIP } from "node:net";
import { HttpClient } from "../../cluster/kube/http-client.ts";
import { loadConnection } from "../../cluster/kube/connect/load-connection.ts";
import { createLog } from "../../cluster/runtime/log/log.ts";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import { stopOnSignals } from "../../cluster/runtime/signals.ts";
import { attuneHandlers } from "../webhook/attune-handlers.ts";
import { webhookSecret } from "../webhook/rbac.ts";
import type { Target } from "../webhook/registration.ts";
import { runWebhook } from "../webhook/webhook.ts";
import { portOption } from "./option/port-option.ts";

type Options = Record<string, string | boolean | undefined>;

/** `attune webhook`: prints one line when API servers can reach it, then serves until it is told to stop. */
export async function webhook(options: Options): Promise<void> {
  const target = targetOption(options);
  const port = portOption(options.port);
  const { signal } = stopOnSignals();
  const connection = await loadConnection({
    ...(typeof options.kubeconfig === "string" ? { kubeconfig: options.kubeconfig } : {}),
    ...(typeof options.context === "string" ? { context: options.context } : {}),
  });
  const client = new HttpClient(connection);
  const log = await createLog({ name: "webhook" });
  await runWebhook({
    client,
    signal,
    ...attuneHandlers(client, { log }),
    host: String(options.host),
    port,
    target,
    secret: { namespace: String(options.namespace), name: webhookSecret },
    ...(typeof options.probeAddress === "string" ? { probeAddress: options.probeAddress } : {}),
    log,
    metrics: await createPromMetrics(),
    onReady: (address) => process.stdout.write(`ready https://${address}\n`),
  });
}

function targetOption({
  register,
  advertise,
  host,
  service,
  namespace,
  servicePort,
}: Options): (port: number) => Target {
  if (register === "service") {
    const port = portOption(servicePort);
    return () => ({ type: "service", namespace: String(namespace), name: String(service), port });
  }
  if (register !== "url") throw new Error(`--register ${String(register)}: either url or service`);
  const name = String(advertise ?? host);
  if (name === "0.0.0.0" || name === "::")
    throw new Error(`--host ${name}: API servers need an address to call; say it with --advertise`);
  return (port) => ({ type: "url", base: `https://${isIP(name) === 6 ? `[${name}]` : name}:${port}` });
}

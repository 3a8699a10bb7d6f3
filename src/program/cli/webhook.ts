import { isIP } from "node:net";
import { HttpClient } from "../../cluster/kube/http-client.ts";
import { loadConnection } from "../../cluster/kube/connect/load-connection.ts";
import { createLog } from "../../cluster/runtime/log/log.ts";
import { logFailure } from "../../cluster/runtime/log/log-failure.ts";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import { stopOnSignals } from "../../cluster/runtime/signals.ts";
import { attuneHandlers } from "../webhook/attune-handlers.ts";
import { webhookSecret } from "../webhook/rbac.ts";
import type { Target } from "../webhook/registration.ts";
import { runWebhook } from "../webhook/webhook.ts";
import type { webhookCommandFlags } from "./flags.ts";
import { kindsOf } from "./install/manifests.ts";
import type { Values } from "./option/flag.ts";
import { logOptions } from "./option/shared-flags.ts";
import { writeOut } from "./terminal/terminal.ts";

type WebhookOptions = Values<typeof webhookCommandFlags>;

/** `attune webhook`: prints one line when API servers can reach it, then serves until SIGTERM or SIGINT. */
export async function webhook(options: WebhookOptions): Promise<void> {
  const { host, port, namespace, partitioningRelease, scyllaGateImage, probeAddress } = options;
  const target = targetOf(options);
  const { signal } = stopOnSignals();
  const client = new HttpClient(await loadConnection(options));
  const log = await createLog({ name: "webhook", ...logOptions(options) });
  const metrics = await createPromMetrics();
  await logFailure(log, () =>
    runWebhook({
      client,
      signal,
      ...attuneHandlers(client, { namespace, partitioningRelease, scyllaGateImage, log, ...kindsOf(options.mode) }),
      host,
      port,
      target,
      secret: { namespace, name: webhookSecret },
      probeAddress,
      log,
      metrics,
      // Behind a Service it is a pod, whose log has only JSON lines.
      onReady: (address) =>
        options.register === "service" ? log.info({ address }, "ready") : writeOut(`ready https://${address}\n`),
    }),
  );
}

function targetOf(options: WebhookOptions): (port: number) => Target {
  const { register, host, advertise = host, namespace, service, servicePort } = options;
  if (register === "service") return () => ({ type: "service", namespace, name: service, port: servicePort });
  if (advertise === "0.0.0.0" || advertise === "::")
    throw new Error(
      `--host ${advertise}: API servers cannot call this address; pass one that they can with --advertise`,
    );
  return (port) => ({ type: "url", base: `https://${isIP(advertise) === 6 ? `[${advertise}]` : advertise}:${port}` });
}

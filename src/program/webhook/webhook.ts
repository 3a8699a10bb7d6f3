import type { Client } from "../../cluster/kube/client.ts";
import { type Clock, pause, systemClock, whenAborted } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import type { Exposition, Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { ClusterView } from "./cluster-caches.ts";
import { type CertificateLives, servingEnd } from "../../cluster/certificate/serving-certificates.ts";
import type { Handlers } from "./handler.ts";
import { registration } from "./registration-controller.ts";
import type { Target } from "./registration.ts";
import { ReviewServer } from "./review-server.ts";
import { routesOf } from "./routes.ts";
import { webhookMetrics } from "./webhook-metrics.ts";

export interface WebhookOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly handlers: Handlers;
  /** The objects that handlers answer from. */
  readonly cluster?: ClusterView | undefined;
  /** Writes the events that handlers record, also those that wait when the webhook ends. */
  readonly events?: EventRecorder | undefined;
  /** The address to listen on. */
  readonly host: string;
  readonly port: number;
  /** How API servers reach it, given the port it listens on. */
  readonly target: (port: number) => Target;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** `host:port` of `/metrics`, `/healthz` and `/readyz`. Default: not served. */
  readonly probeAddress?: string | undefined;
  /** How long a webhook behind a Service still accepts reviews after the signal. Default 5 s. */
  readonly drainMs?: number | undefined;
  /** How long it then waits for reviews in flight. Default 10 s. */
  readonly graceMs?: number | undefined;
  readonly lives?: CertificateLives | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  readonly metrics?: (Metrics & Exposition) | undefined;
  /** Called when API servers can find and trust it, and its caches have synced. */
  readonly onReady?: ((address: string) => void) | undefined;
}

/** Answers admission and conversion reviews over HTTPS until the signal aborts. */
export async function runWebhook(options: WebhookOptions): Promise<void> {
  const {
    client,
    signal,
    handlers,
    cluster,
    events,
    host,
    drainMs = 5000,
    graceMs = 10_000,
    clock = systemClock,
    log = noLog,
  } = options;
  const counts = webhookMetrics(handlers, () => server.inFlight, options.metrics);
  const routes = routesOf(handlers, { clock, log: log.child({ part: "decisions" }), metrics: counts });
  const server: ReviewServer = new ReviewServer({ host, port: options.port, routes, clock, log });
  await server.listen();

  const manager = new Manager({ probeAddress: options.probeAddress, metrics: options.metrics, clock, log });
  const target = options.target(server.port);
  const { secret, lives } = options;
  let isServing = false;
  const registered = registration({
    client,
    manager,
    handlers,
    target,
    secret,
    lives,
    clock,
    log,
    onRegistered: () =>
      void Promise.resolve(cluster?.whenSettled()).then(() => options.onReady?.(`${host}:${server.port}`)),
    serve(certificates) {
      server.use({ certPem: certificates["tls.crt"], keyPem: certificates["tls.key"] });
      counts.certificateExpires(servingEnd(certificates));
      isServing = true;
    },
  });
  manager.add(registered.controller, { on: "everywhere" });
  if (cluster) {
    manager.add(cluster, { on: "everywhere" });
    manager.addReadyCheck("cluster", () => cluster.check());
  }
  if (events) manager.add(events, { on: "everywhere" });
  manager.addReadyCheck("certificate", () => {
    if (!isServing) throw new Error("no certificate yet");
  });
  manager.addReadyCheck("registration", () => {
    if (!registered.registered) throw new Error("not registered with the API server yet");
  });
  manager.addReadyCheck("stopping", () => signal.throwIfAborted());
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  try {
    await Promise.race([whenAborted(signal), running]);
    // API servers send reviews until they learn that this endpoint is gone from the Service.
    if (target.type === "service" && signal.aborted) await pause(clock, drainMs);
  } finally {
    stop.abort();
    try {
      await running;
    } finally {
      // At a URL no other replica answers, so the configurations must go. A Service may have other replicas.
      if (target.type === "url") await registered.remove().catch((error: unknown) => log.warn({ error }, "unregister"));
      await server.close(graceMs);
    }
  }
}

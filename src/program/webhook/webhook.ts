import type { Client } from "../../cluster/kube/client.ts";
import { type Clock, pause, systemClock, whenAborted } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Exposition, Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { ClusterView } from "./cluster-caches.ts";
import { type CertificateLives, servingEnd } from "./certificates.ts";
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
  /** What handlers answer from. It runs along. */
  readonly cluster?: ClusterView;
  /** Where to listen. */
  readonly host: string;
  readonly port: number;
  /** Where API servers find it, given the port it listens on. */
  readonly target: (port: number) => Target;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** `host:port` of `/metrics`, `/healthz` and `/readyz`. Default: nowhere. */
  readonly probeAddress?: string;
  /** How long a service goes on taking new reviews after the signal. Default 5 s. */
  readonly drainMs?: number;
  /** How long reviews may then go on. Default 10 s. */
  readonly graceMs?: number;
  readonly lives?: CertificateLives;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly metrics?: Metrics & Exposition;
  /** Called when API servers can find and trust it, and it knows what it answers from. */
  readonly onReady?: (address: string) => void;
}

/** Admission and conversion reviews over HTTPS, until the signal aborts. */
export async function runWebhook(options: WebhookOptions): Promise<void> {
  const {
    client,
    signal,
    handlers,
    cluster,
    host,
    drainMs = 5000,
    graceMs = 10_000,
    clock = systemClock,
    log = noLog,
  } = options;
  const counts = webhookMetrics(options.metrics, () => server.inFlight);
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
      counts.certificateEnds(servingEnd(certificates));
      isServing = true;
    },
  });
  manager.add(registered.controller, { on: "everywhere" });
  if (cluster) {
    manager.add(cluster, { on: "everywhere" });
    manager.addReadyCheck("cluster", () => cluster.check());
  }
  manager.addReadyCheck("certificate", () => {
    if (!isServing) throw new Error("no certificate yet");
  });
  manager.addReadyCheck("registration", () => {
    if (!registered.registered) throw new Error("API servers do not know of this webhook yet");
  });
  manager.addReadyCheck("stopping", () => signal.throwIfAborted());
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  try {
    await Promise.race([whenAborted(signal), running]);
    // Whoever still sends us new reviews has not heard yet that we are going.
    if (target.type === "service" && signal.aborted) await pause(clock, drainMs);
  } finally {
    stop.abort();
    try {
      await running;
    } finally {
      // An address of ours alone answers nobody once we are gone; a service may have others behind it.
      if (target.type === "url") await registered.remove().catch((error: unknown) => log.warn({ error }, "unregister"));
      await server.close(graceMs);
    }
  }
}

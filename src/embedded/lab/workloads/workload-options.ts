import type { Client } from "../../../cluster/kube/client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Controller } from "../../../cluster/runtime/controller/controller.ts";
import { EventRecorder } from "../../../cluster/runtime/event/event-recorder.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import type { WorkloadCaches } from "./workload-caches.ts";

/** The dependencies of every workload controller. */
export interface WorkloadOptions {
  /** Impersonates the controller's own account. */
  client: Client;
  caches: WorkloadCaches;
  clock: Clock;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
}

export interface WorkloadControllerOptions extends WorkloadOptions {
  recorder: Pick<EventRecorder, "record">;
}

/** Runs a controller with its own event recorder until the signal. */
export async function runWithEvents(
  component: string,
  { signal, ...options }: WorkloadOptions & { signal: AbortSignal },
  create: (options: WorkloadControllerOptions) => Pick<Controller, "run">,
): Promise<void> {
  const recorder = new EventRecorder({ client: options.client, component, clock: options.clock, log: options.log });
  try {
    await create({ ...options, recorder }).run(signal);
  } finally {
    await recorder.stop();
  }
}

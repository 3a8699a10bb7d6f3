import { setMaxListeners } from "node:events";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import { noLog } from "../../cluster/runtime/log/log.ts";
import { type KubeletsOptions, runKubelets } from "./kubelet/kubelets.ts";
import { runWorkloads, type WorkloadsOptions } from "./workloads/run-workloads.ts";
import { createNodeCaches } from "./workloads/workload-caches.ts";

export interface LabOptions extends Omit<KubeletsOptions, "caches" | "nodeController"> {
  /** Scheduler and controllers, for clusters without their own; `false` for kubelets alone. */
  workloads: Pick<WorkloadsOptions, "identity" | "onState"> | false;
}

/** Runs virtual nodes, with scheduler and controllers, until the signal. The first that fails ends the others. */
export async function runLab({ workloads, ...options }: LabOptions): Promise<void> {
  const { client, clientAs, clock, log = noLog } = options;
  const ending = new LinkedAbort(options.signal);
  const { signal } = ending;
  setMaxListeners(0, signal);
  // One cache for kubelets and controllers: pods are most of a lab's memory. Caches wait on the system's clock, as the
  // server does, also where a test moves the clock of the nodes.
  const caches = createNodeCaches(client, {
    onHandlerError: (error) => log.error({ error }, "handle an event"),
  });
  const parts = [
    caches.pods.run(signal),
    caches.nodes.run(signal),
    runKubelets({ ...options, caches, nodeController: workloads !== false, signal }),
  ];
  if (workloads) parts.push(runWorkloads({ ...workloads, clientAs, caches, signal, clock, log }));
  try {
    await Promise.all(parts);
  } finally {
    ending.abort();
    await Promise.allSettled(parts);
  }
}

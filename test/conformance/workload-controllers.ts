import { existsSync } from "node:fs";
import { join } from "node:path";
import { setMaxListeners } from "node:events";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runDeployments } from "../../src/embedded/lab/workloads/deployment/deployment-controller.ts";
import { runJobs } from "../../src/embedded/lab/workloads/job/job-controller.ts";
import { runReplicaSets } from "../../src/embedded/lab/workloads/replica-set/replica-set-controller.ts";
import { runStatefulSets } from "../../src/embedded/lab/workloads/stateful-set/stateful-set-controller.ts";
import {
  createWorkloadCaches,
  runWorkloadCaches,
  type WorkloadCaches,
} from "../../src/embedded/lab/workloads/workload-caches.ts";
import type { Pod } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { formatTime } from "../../src/language/object/time.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { clientFor } from "../servers/client-for.ts";
import { Program } from "../servers/program.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

const controllers = {
  "deployment-controller": runDeployments,
  "replicaset-controller": runReplicaSets,
  "statefulset-controller": runStatefulSets,
  "job-controller": runJobs,
};

/**
 * Runs the lab's workload controllers beside a server, and simulates kubelets: pods are ready at once, those of Jobs
 * succeed, and those with the image `broken` stay Pending. With `ATTUNE_REAL_CONTROLLERS` the real server has its real
 * controllers instead, which shows that a test expects what they do.
 */
export async function startWorkloadControllers(
  variant: "embedded" | "real",
  server: ServerUnderTest,
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal);
  const admin = clientFor(server);
  const caches = createWorkloadCaches(admin);
  const parts = [runWorkloadCaches(caches, signal)];
  simulateKubelets(admin, caches, signal);
  const manager = variant === "real" && process.env.ATTUNE_REAL_CONTROLLERS ? realControllers(server) : undefined;
  if (!manager)
    for (const [name, run] of Object.entries(controllers))
      parts.push(run({ client: await clientAs(server, name), caches, clock: systemClock, signal }));
  return async () => {
    stop.abort();
    await Promise.allSettled(parts);
    await manager?.stop();
  };
}

/** A client with the rights of this controller's role, if the role exists. */
async function clientAs(server: ServerUnderTest, controller: string): Promise<Client> {
  const admin = clientFor(server);
  try {
    await admin.get(kinds.clusterRole, `system:controller:${controller}`);
  } catch (error) {
    if (isNotFound(error)) return admin;
    throw error;
  }
  const { url, authority } = server;
  return new HttpClient({
    cluster: { server: url, certificateAuthority: authority.caPem },
    credentials: staticCredentials(bearer(authority.adminToken)),
    impersonate: { user: `system:serviceaccount:kube-system:${controller}` },
    namespace: "default",
    name: controller,
  });
}

function realControllers({ kubeconfig }: ServerUnderTest): Program | undefined {
  const path = join(process.env.KUBEBUILDER_ASSETS ?? "", "kube-controller-manager");
  if (!existsSync(path)) return undefined;
  return new Program(path, [
    `--kubeconfig=${kubeconfig}`,
    "--secure-port=0",
    "--leader-elect=false",
    `--controllers=${Object.keys(controllers).join(",")}`,
  ]);
}

function simulateKubelets(client: Client, { pods }: WorkloadCaches, signal: AbortSignal): void {
  const isBroken = ({ spec }: Pod): boolean => spec?.containers[0]?.image === "broken";
  const play = async (pod: Pod): Promise<void> => {
    const { name = "", namespace, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || pod.status?.phase !== "Pending" || isBroken(pod)) return;
    const isOfJob = pod.metadata.ownerReferences?.[0]?.kind === "Job";
    const lastTransitionTime = formatTime(Date.now());
    const status = isOfJob
      ? { phase: "Succeeded" }
      : { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime }] };
    await client.patch(
      kinds.pod,
      name,
      { type: "merge", patch: { status } },
      { namespace, subresource: "status", signal },
    );
  };
  pods.subscribe((event) => {
    if (event.type !== "deleted" && !signal.aborted) void play(event.object).catch(() => {});
  });
}

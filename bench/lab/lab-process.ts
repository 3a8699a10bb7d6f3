import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { smallNodes } from "../../src/program/cli/lab/virtual-nodes.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { runKubelets } from "../../src/embedded/lab/kubelet/kubelets.ts";
import { runWorkloads } from "../../src/embedded/lab/workloads/run-workloads.ts";
import { createNodeCaches } from "../../src/embedded/lab/workloads/workload-caches.ts";
import type { LabFigures, LabMoment } from "./lab.ts";

/**
 * Started by `lab.ts` as a process: virtual nodes, scheduler and controllers, and the embedded server unless another
 * server is named. Prints one line of figures.
 */
const [count = "1000", elsewhere] = process.argv.slice(2);
const nodes = smallNodes(Number(count), "node-");
const settleMs = 3000;
const dir = await mkdtemp(join(tmpdir(), "attune-bench-lab-"));
const server = elsewhere ? undefined : await startServer({ dir });
let writes = 0;
const connection = await loadConnection({ kubeconfig: elsewhere ?? server?.kubeconfig });
const client = new HttpClient(connection, {
  onRequest: ({ method, code }) => {
    if (method !== "GET" && code.startsWith("2")) writes++;
  },
});
const end = new AbortController();
const clientAs: HttpClient["as"] = (who) => client.as(who);
const { signal } = end;
// As in `runLab`, but nodes are added later.
const caches = createNodeCaches(client);
const reading = Object.values(caches).map((informer) => informer.run(signal));
const workloads = runWorkloads({ clientAs, caches, signal });
await delay(settleMs);
const empty = await residentMegabytes();

const { cluster } = connection;
let from = moment();
const kubelets = await new Promise<{ done: Promise<void> }>((resolve) => {
  let left = nodes.length;
  const onRegistered = (): void => {
    if (--left === 0) resolve({ done });
  };
  const done = runKubelets({ client, clientAs, cluster, nodes, caches, nodeController: true, signal, onRegistered });
});
const joined = since(from);
await delay(settleMs);
const idle = await residentMegabytes();

from = moment();
const labels = { app: "bench" };
await client.create(kinds.daemonSet, {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "bench", namespace: "default" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/bench:1" }] } },
  },
});
for (;;) {
  const { status } = await client.get(kinds.daemonSet, "bench", { namespace: "default" });
  if (status?.numberReady === nodes.length) break;
  await delay(20);
}
const settled = since(from);
await delay(settleMs);
const running = await residentMegabytes();
const quiet = process.cpuUsage();
await delay(10_000);
const { user, system } = process.cpuUsage(quiet);
const figures: LabFigures = { join: joined, settled, empty, idle, running, idleCores: (user + system) / 1e7 };
console.log(JSON.stringify(figures));
end.abort();
await Promise.all([...reading, workloads, kubelets.done]);
client.close();
await server?.close();
await rm(dir, { recursive: true, force: true });

function moment(): { at: number; writes: number; cpu: NodeJS.CpuUsage } {
  return { at: performance.now(), writes, cpu: process.cpuUsage() };
}

function since(before: ReturnType<typeof moment>): LabMoment {
  const cpu = process.cpuUsage(before.cpu);
  return {
    seconds: (performance.now() - before.at) / 1000,
    writes: writes - before.writes,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

/** Resident memory after garbage collection. */
async function residentMegabytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await delay(50);
  }
  return process.memoryUsage.rss() / 1e6;
}

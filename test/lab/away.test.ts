import { afterEach, expect, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startServer, type ApiServer } from "../../src/embedded/apiserver/server.ts";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { virtualNode } from "./lab-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";

const namespace = "default";
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

test("after an outage of the API server nodes and pods are alive, and missed writes are made up for", async () => {
  const dir = await mkdtemp(join(tmpdir(), "attune-lab-away-"));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  let server: ApiServer = await startServer({ dir });
  ends.push(async () => server.close());
  const { port } = server;
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  const stop = new AbortController();
  let deaf = true;
  const done = runLab({
    client,
    clientAs: (who) => client.as(who),
    cluster: client.connection.cluster,
    nodes: [virtualNode("n")],
    // Ends during the outage.
    program: () => new Promise((resolve) => void setInterval(() => deaf || resolve(4), 5).unref()),
    workloads: false,
    signal: stop.signal,
  });
  ends.push(async () => {
    stop.abort();
    await done;
    client.close();
  });
  const pod = async (name: string): Promise<Pod | undefined> =>
    client.get(kinds.pod, name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const create = async (name: string, container: object): Promise<unknown> =>
    client.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace },
      spec: { nodeName: "n", restartPolicy: "Never", containers: [{ name: "main", image: "x", ...container }] },
    });
  const phase = (name: string, wanted: string): Promise<Pod> =>
    eventually(`${name} is ${wanted}`, async () => {
      const found = await pod(name);
      return found?.status?.phase === wanted ? found : undefined;
    });
  await create("program", { command: ["attune", "x"] });
  await create("plain", {});
  await phase("program", "Running");
  const before = await phase("plain", "Running");

  await server.close();
  deaf = false;
  await delay(50);
  server = await startServer({ dir, port });

  const ended = await phase("program", "Failed");
  expect(ended.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 4 });
  expect((await pod("plain"))?.status).toEqual(before.status);
  await client.delete(kinds.pod, "plain", { namespace });
  await eventually("the pod is gone", async () => ((await pod("plain")) ? undefined : true));
});

test("a hundred nodes with scheduler and controllers continue after an outage of the API server", async () => {
  const dir = await mkdtemp(join(tmpdir(), "attune-lab-away-"));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  let server: ApiServer = await startServer({ dir });
  ends.push(async () => server.close());
  const { port } = server;
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  const stop = new AbortController();
  const done = runLab({
    client,
    clientAs: (who) => client.as(who),
    cluster: client.connection.cluster,
    nodes: Array.from({ length: 100 }, (_, index) => virtualNode(`n${index}`)),
    workloads: {},
    atEnd: "remove",
    signal: stop.signal,
  });
  ends.push(async () => {
    stop.abort();
    await done;
    client.close();
  });
  const labels = { app: "agent" };
  const spec = (image: string): object => ({
    selector: { matchLabels: labels },
    updateStrategy: { rollingUpdate: { maxUnavailable: "100%" } },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
  });
  const apply = (image: string): Promise<unknown> => {
    const metadata = { name: "agent", namespace };
    const object = { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: spec(image) };
    return client.patch(kinds.daemonSet, "agent", { type: "apply", object }, { namespace });
  };
  const settled = (image: string): Promise<Pod[]> =>
    eventually(`all pods have image ${image}`, async () => {
      const { items } = await client.list(kinds.pod, { namespace });
      const ready = items.filter(({ status }) => status?.containerStatuses?.some((one) => one.ready));
      return ready.length === 100 && items.every((pod) => pod.spec?.containers[0]?.image === image) ? items : undefined;
    });
  await apply("one");
  const before = await settled("one");

  await server.close();
  server = await startServer({ dir, port });
  await eventually("the server is back", async () =>
    client.get(kinds.daemonSet, "agent", { namespace }).catch(() => undefined),
  );
  expect((await settled("one")).map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  );
  await apply("two");
  await settled("two");
});

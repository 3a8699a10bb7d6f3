import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { instanceAnnotation } from "../../src/embedded/lab/kubelet/node/instance-annotation.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import type { LabOptions } from "../../src/embedded/lab/run-lab.ts";
import { FaultProxy } from "../fault-proxy/fault-proxy.ts";
import { LabCluster, phase } from "./lab-cluster.ts";

let cluster: LabCluster;
let cable: FaultProxy;
/** A lab whose connection to the API server can be cut. */
let behindCable: Pick<LabOptions, "client" | "clientAs" | "cluster">;
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-lab-cable-"));
  cluster = await LabCluster.start();
  const { caPem, serverCertPem, serverKeyPem } = await openAuthority(dir);
  const upstream = { url: cluster.server.url, ca: cluster.server.authority.caPem };
  cable = new FaultProxy({ cert: serverCertPem, key: serverKeyPem, upstream });
  await cable.listen();
  const connection = { ...cluster.admin.connection, cluster: { server: cable.url, certificateAuthority: caPem } };
  const client = new HttpClient(connection);
  behindCable = { client, clientAs: (who) => client.as(who), cluster: connection.cluster };
});
afterEach(async () => {
  await cluster.close();
  await cable.close();
  await rm(dir, { recursive: true, force: true });
});

const ready = (object: Node | Pod): string | undefined =>
  object.status?.conditions?.find(({ type }) => type === "Ready")?.status;

/**
 * Advances the clock by single seconds until the condition holds: between them, sockets deliver renewed leases. Caches that lost
 * their connection wait on the real clock, so that no number of these seconds is enough.
 */
async function passUntil(alive: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    await cluster.clock.advance(1000);
    await cluster.eventually(async () => {
      const { spec } = await cluster.admin.get(kinds.lease, alive, { namespace: "kube-node-lease" });
      return cluster.clock.now() - Date.parse(String(spec?.renewTime)) <= 12_000 ? true : undefined;
    });
    if (await holds()) return;
  }
  throw new Error(`timed out waiting: ${JSON.stringify((await cluster.admin.list(kinds.node)).items)}`);
}

test("a node that was silent is ready again, and so are its pods, which kept running", async () => {
  cluster.kubelets(["steady"], { workloads: {} });
  cluster.kubelets(["silent"], behindCable);
  for (const name of ["steady", "silent"])
    await cluster.nodeThat(name, (node) => ready(node) === "True" && !node.spec?.taints?.length);
  await cluster.createPod({ name: "runs", node: "silent" });
  const before = await cluster.podThat("runs", phase("Running"));

  await cable.refuse();
  const [node, pod] = [() => cluster.admin.get(kinds.node, "silent"), () => cluster.pod("runs")];
  await passUntil("steady", async () => ready((await pod())!) === "False");
  const unreachable = { key: "node.kubernetes.io/unreachable" };
  await passUntil("steady", async () => (await node()).spec?.taints?.length === 2);
  expect(await node()).toMatchObject({ spec: { taints: [unreachable, unreachable] } });
  expect(ready(await node())).toBe("Unknown");

  await cable.listen();
  await passUntil("steady", async () => ready(await node()) === "True" && !(await node()).spec?.taints?.length);
  await passUntil("steady", async () => ready((await pod())!) === "True");
  const after = (await pod())!;
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.status?.containerStatuses).toEqual(before.status?.containerStatuses);
});

test.each([
  ["once it notices", 20],
  ["also where it stops before it notices", 0],
])("a lab that was cut off and replaced leaves its nodes to the other one %s", async (_, noticesAfter) => {
  const first = cluster.kubelets(["n"], behindCable);
  await cluster.nodeThat("n", (node) => ready(node) === "True");
  await cluster.createPod({ name: "runs", node: "n" });
  const before = await cluster.podThat("runs", phase("Running"));
  const { metadata } = await cluster.nodeThat("n", () => true);

  await cable.refuse();
  cluster.kubelets(["n"]);
  const taken = await cluster.nodeThat(
    "n",
    (node) => node.metadata.annotations?.[instanceAnnotation] !== metadata.annotations?.[instanceAnnotation],
  );
  await cable.listen();
  let seconds = 0;
  if (noticesAfter > 0) await passUntil("n", async () => ++seconds === noticesAfter);
  // If the first lab still ran the node, it would mark it NotReady when it stops.
  await first.stop();
  const node = await cluster.nodeThat("n", () => true);
  expect(ready(node)).toBe("True");
  expect(node.metadata.annotations).toEqual(taken.metadata.annotations);
  expect((await cluster.pod("runs"))?.status).toEqual(before.status);
});

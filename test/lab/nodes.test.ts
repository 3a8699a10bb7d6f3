import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Fleet } from "../../src/embedded/lab/kubelet/kubelets.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { LabCluster, virtualNode } from "./lab-cluster.ts";

let cluster: LabCluster;
beforeAll(async () => {
  cluster = await LabCluster.start();
});
afterAll(async () => cluster?.close());

const ready = (node: Node): string | undefined => node.status?.conditions?.find(({ type }) => type === "Ready")?.status;

const lease = (name: string) => cluster.admin.get(kinds.lease, name, { namespace: "kube-node-lease" });

describe("a virtual node", () => {
  test("registers with its own identity and topology, and the lab's account adds role labels and removes taints", async () => {
    const labels = { "node-role.kubernetes.io/worker": "", "example.com/rack": "7" };
    const taints = [{ key: "example.com/only", effect: "NoSchedule" as const }];
    cluster.kubelets([virtualNode("registers", { labels, taints, resources: { "hugepages-2Mi": "64Mi" } })]);
    const node = await cluster.nodeThat(
      "registers",
      (node) => node.metadata.labels?.["node-role.kubernetes.io/worker"] === "",
    );
    expect(ready(node)).toBe("True");
    expect(node.spec?.taints).toEqual(taints);
    expect(node).toMatchObject({
      metadata: { labels: { "example.com/rack": "7", "kubernetes.io/hostname": "registers" } },
      status: {
        capacity: { cpu: "4", memory: "8Gi", pods: "110", "hugepages-2Mi": "64Mi" },
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: expect.any(Number) as number } },
      },
    });
    const { metadata, spec } = await cluster.eventually(() => lease("registers").catch(() => undefined));
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "registers", uid: node.metadata.uid }]);
    expect(spec?.holderIdentity).toBe("registers");
  });

  test("renews its lease every ten seconds, and its status only every few minutes", async () => {
    cluster.kubelets(["renews"]);
    await cluster.nodeThat("renews", (node) => ready(node) === "True");
    const first = await cluster.eventually(() => lease("renews").catch(() => undefined));
    const before = await cluster.nodeThat("renews", () => true);
    await cluster.clock.advance(20_000);
    const later = await cluster.eventually(async () => {
      const now = await lease("renews");
      return now.spec?.renewTime === first.spec?.renewTime ? undefined : now;
    });
    expect(Date.parse(String(later.spec?.renewTime))).toBeLessThanOrEqual(cluster.clock.now());
    expect((await cluster.nodeThat("renews", () => true)).metadata.resourceVersion).toBe(
      before.metadata.resourceVersion,
    );
    await cluster.clock.advance(300_000);
    await cluster.nodeThat("renews", (node) => node.metadata.resourceVersion !== before.metadata.resourceVersion);
  });

  test("registers again when its Node is deleted", async () => {
    cluster.kubelets(["returns"]);
    const { metadata } = await cluster.nodeThat("returns", (node) => ready(node) === "True");
    await cluster.admin.delete(kinds.node, "returns");
    const again = await cluster.nodeThat(
      "returns",
      (node) => ready(node) === "True" && node.metadata.uid !== metadata.uid,
    );
    await cluster.eventually(async () => {
      const found = await lease("returns").catch(() => undefined);
      return found?.metadata.ownerReferences?.[0]?.uid === again.metadata.uid ? true : undefined;
    });
  });

  test("is added and taken away while others run, and its name can be used again", async () => {
    let fleet: Fleet | undefined;
    cluster.kubelets(["stays"], { onFleet: (made) => (fleet = made) });
    await cluster.nodeThat("stays", (node) => ready(node) === "True");
    assert(fleet);
    const uids: unknown[] = [];
    for (const disk of ["first", "second"]) {
      const machine = virtualNode("comes");
      await fleet.add(machine, async ({ host }) => void (await host.replace("/etc/disk", disk)));
      const { metadata } = await cluster.nodeThat("comes", (node) => ready(node) === "True");
      uids.push(metadata.uid);
      expect(await machine.host.read("/etc/disk")).toMatchObject({ text: disk });
      await cluster.createPod({ name: disk, node: "comes" });
      await cluster.podThat(disk, ({ status }) => status?.phase === "Running");
      await fleet.remove(machine);
      const { items } = await cluster.admin.list(kinds.node);
      expect(items.map(({ metadata }) => metadata.name)).not.toContain("comes");
      await expect(lease("comes")).rejects.toThrow("not found");
    }
    expect(new Set(uids).size).toBe(2);
    expect(ready(await cluster.nodeThat("stays", () => true))).toBe("True");
  });

  test("is not ready once its lab has stopped, and ready again with the next one", async () => {
    const taints = [{ key: "example.com/mine", effect: "NoSchedule" as const }];
    const lab = cluster.kubelets([virtualNode("rests", { taints })]);
    await cluster.nodeThat("rests", (node) => ready(node) === "True" && node.spec?.taints?.length === 1);
    await lab.stop();
    const resting = await cluster.nodeThat("rests", (node) => ready(node) === "False");
    const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
    expect(resting.spec?.taints).toMatchObject([...taints, notReady]);
    cluster.kubelets(["rests"]);
    const node = await cluster.nodeThat("rests", (node) => ready(node) === "True" && node.spec?.taints?.length === 1);
    expect(node.metadata.uid).toBe(resting.metadata.uid);
    expect(node.spec?.taints).toEqual(taints);
  });

  test("is deleted by a lab with atEnd: remove", async () => {
    const lab = cluster.kubelets(["leaves"], { atEnd: "remove" });
    await cluster.nodeThat("leaves", (node) => ready(node) === "True");
    await lab.stop();
    const { items } = await cluster.admin.list(kinds.node);
    expect(items.map(({ metadata }) => metadata.name)).not.toContain("leaves");
    await expect(lease("leaves")).rejects.toMatchObject({ code: 404 });
  });

  test("belongs to the lab that started last: the other one stops running it", async () => {
    const first = cluster.kubelets(["shared"]);
    await cluster.nodeThat("shared", (node) => ready(node) === "True");
    await cluster.createPod({ name: "shared", node: "shared" });
    const pod = await cluster.podThat("shared", ({ status }) => status?.phase === "Running");
    const ports = (node: Node): number => node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    const before = ports(await cluster.nodeThat("shared", () => true));
    cluster.kubelets(["shared"]);
    await cluster.nodeThat("shared", (node) => ports(node) !== before);
    await first.stop();
    expect(ready(await cluster.nodeThat("shared", () => true))).toBe("True");
    expect((await cluster.pod("shared"))?.status?.containerStatuses).toEqual(pod.status?.containerStatuses);
  });
});

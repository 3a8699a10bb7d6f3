import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { containerId } from "../../src/embedded/lab/kubelet/container/container-id.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";
import { groupPath } from "../../src/embedded/lab/crio/control-groups.ts";
import { LabCluster, namespace, phase } from "./lab-cluster.ts";

let cluster: LabCluster;
beforeAll(async () => {
  cluster = await LabCluster.start();
});
afterAll(async () => cluster?.close());

const openshift: Topology = { ...smallMachine, runtime: "cri-o", kubelet: "openshift" };
const base = machineBase(openshift);
const cores = "management.workload.openshift.io/cores";
const target = "target.workload.openshift.io/management";
const effect = '{"effect": "PreferredDuringScheduling"}';
const pinningFile = "/etc/kubernetes/openshift-workload-pinning";
const drops = "/etc/crio/crio.conf.d";

const table = (cpus: string): string => `
[crio.runtime.workloads.management]
activation_annotation = "${target}"
annotation_prefix = "resources.workload.openshift.io"
resources = { "cpushares" = 0, "cpuset" = "${cpus}" }
`;

/** A machine with these files at its first boot. */
async function machine(name: string, files: Record<string, string>, of: Topology = openshift): Promise<VirtualNode> {
  const node = new VirtualNode({ name, topology: of, base: of === openshift ? base : machineBase(of) });
  for (const [path, text] of Object.entries(files)) await node.host.replace(path, text);
  cluster.kubelets([node], { prepare: async () => {}, bootMs: 0 });
  return node;
}

const capacity = (node: Node): Record<string, string> => node.status?.capacity ?? {};
const allocatable = (node: Node): Record<string, string> => node.status?.allocatable ?? {};

async function cpu(node: VirtualNode, pod: Pod, container: string, file = "cpuset.cpus"): Promise<string | undefined> {
  const qos = pod.status?.qosClass as "Burstable";
  const path = groupPath({
    podUid: pod.metadata.uid ?? "",
    qos,
    runtime: "cri-o",
    containerId: containerId(pod.metadata.uid ?? "", container, 0),
  });
  const read = await node.host.read(`${path}/${file}`);
  return read.type === "text" ? read.text.trim() : undefined;
}

describe("a kubelet of OpenShift", () => {
  test("advertises the cores of its machine if the pinning file exists when it starts, whatever it says", async () => {
    const node = await machine("pinned", { [pinningFile]: "not JSON" });
    const joined = await cluster.nodeThat("pinned", (one) => capacity(one)[cores] !== undefined);
    expect([capacity(joined)[cores], allocatable(joined)[cores]]).toEqual(["4k", "4k"]);
    expect(joined.status?.nodeInfo?.containerRuntimeVersion).toMatch(/^cri-o:/);

    // The entry outlives the file.
    await node.host.remove(pinningFile);
    const reported = (one: Node): string | undefined => String(one.status?.conditions?.[0]?.lastHeartbeatTime);
    await cluster.clock.advance(1000);
    await node.host.run(["systemctl", "restart", "kubelet"]);
    const after = await cluster.nodeThat("pinned", (one) => reported(one) !== reported(joined));
    expect([capacity(after)[cores], allocatable(after)[cores]]).toEqual(["4k", "4k"]);
  });

  test("advertises nothing without the file, and begins to when it starts again with it", async () => {
    const node = await machine("later", {});
    const joined = await cluster.nodeThat("later", (one) => one.status?.conditions !== undefined);
    expect(capacity(joined)[cores]).toBeUndefined();
    await node.host.replace(pinningFile, "");
    await node.host.run(["systemctl", "restart", "kubelet"]);
    const later = await cluster.nodeThat("later", (one) => capacity(one)[cores] === "4k");
    expect(allocatable(later)[cores]).toBe("4k");
  });

  test("advertises shared CPUs by its file, and removes them with it", async () => {
    const file = "/etc/kubernetes/openshift-workload-mixed-cpus";
    const shared = "workload.openshift.io/enable-shared-cpus";
    const node = await machine("mixed", { [file]: '{"shared_cpus":{"containers_limit":256}}' });
    await cluster.nodeThat("mixed", (one) => allocatable(one)[shared] === "256");
    await node.host.remove(file);
    await node.host.run(["systemctl", "restart", "kubelet"]);
    const after = await cluster.nodeThat("mixed", (one) => capacity(one)[shared] === undefined);
    expect(allocatable(after)[shared]).toBeUndefined();
  });

  test("keeps ordinary pods off the reserved CPUs of a partitioned node", async () => {
    const node = await machine("pool", {
      [pinningFile]: "",
      "/etc/kubernetes/kubelet.conf.d/50.conf": "cpuManagerPolicy: static\nreservedSystemCPUs: 0-1\n",
    });
    await cluster.nodeThat("pool", (one) => capacity(one)[cores] !== undefined);
    await cluster.createPod({ name: "ordinary", node: "pool" });
    const pod = await cluster.podThat("ordinary", phase("Running"));
    expect(await cpu(node, pod, "main")).toBe("2-3");
    // The state of an unpartitioned node has all CPUs: this one does not start with it.
    await node.host.remove(pinningFile);
    const restarted = await node.host.run(["systemctl", "restart", "kubelet"]);
    expect(restarted).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("drain the node and remove") as string,
    });
  });
});

describe("a kubelet of Kubernetes", () => {
  test("never advertises cores, keeps those that another client adds until it starts again, and allocates them", async () => {
    const node = await machine("stock", { [pinningFile]: "" }, { ...smallMachine, runtime: "cri-o" });
    const joined = await cluster.nodeThat("stock", (one) => one.status?.conditions !== undefined);
    expect(capacity(joined)[cores]).toBeUndefined();
    const patch = { status: { capacity: { [cores]: "4k" } } };
    await cluster.admin.patch(kinds.node, "stock", { type: "merge", patch }, { subresource: "status" });
    await cluster.nodeThat("stock", (one) => allocatable(one)[cores] === "4k");
    await node.host.run(["systemctl", "restart", "kubelet"]);
    await cluster.nodeThat("stock", (one) => capacity(one)[cores] === "0" && allocatable(one)[cores] === "0");
  });
});

describe("CRI-O", () => {
  let node: VirtualNode;
  beforeAll(async () => {
    node = await machine("crio", {
      [pinningFile]: "",
      [`${drops}/01-workload-pinning-default.conf`]: table(""),
      [`${drops}/99-runtimes.conf`]: '[crio.runtime]\ninfra_ctr_cpuset = "0"\n',
      [`${drops}/99-workload-pinning.conf`]: table("0-1"),
    });
    await cluster.nodeThat("crio", (one) => capacity(one)[cores] !== undefined);
  });

  const managed = (name: string, resources: Record<string, string>): Parameters<LabCluster["createPod"]>[0] => ({
    name,
    node: "crio",
    metadata: { name, namespace, annotations: { [target]: effect, ...resources } },
  });

  test("gives each container CPUs, shares and quota: those of the workload, by the last file, and of its annotation", async () => {
    await cluster.createPod(
      managed("managed", { "resources.workload.openshift.io/main": '{"cpushares":256,"cpulimit":500}' }),
    );
    const pod = await cluster.podThat("managed", phase("Running"));
    const files = ["cpuset.cpus", "cpuset.cpus.effective", "cpu.weight", "cpu.max"];
    expect(await Promise.all(files.map((file) => cpu(node, pod, "main", file)))).toEqual([
      "0-1",
      "0-1",
      "10",
      "50000 100000",
    ]);
    expect(await cpu(node, pod, "POD")).toBe("0");

    await cluster.createPod({ name: "ordinary-crio", node: "crio" });
    const ordinary = await cluster.podThat("ordinary-crio", phase("Running"));
    expect(await Promise.all(files.map((file) => cpu(node, ordinary, "main", file)))).toEqual([
      "",
      "0-3",
      "1",
      "max 100000",
    ]);

    await cluster.admin.delete(kinds.pod, "managed", { namespace, gracePeriodSeconds: 0 });
    await cluster.eventually(async () => ((await cpu(node, pod, "main")) === undefined ? true : undefined));
    expect(await cpu(node, pod, "POD")).toBeUndefined();
  });

  test("does not create a container whose annotation is no JSON, until it is", async () => {
    const key = "resources.workload.openshift.io/main";
    await cluster.createPod(managed("broken", { [key]: "{" }));
    const waiting = await cluster.podThat(
      "broken",
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "CreateContainerError",
    );
    expect(waiting.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      `annotation ${key}: not a JSON object`,
    );
    const patch = { metadata: { annotations: { [key]: '{"cpushares":2}' } } };
    await cluster.admin.patch(kinds.pod, "broken", { type: "merge", patch }, { namespace });
    await cluster.podThat("broken", phase("Running"));
  });

  test("keeps what it read when it started, and a table that it refuses keeps its node down", async () => {
    await node.host.replace(`${drops}/99-workload-pinning.conf`, table("2"));
    await cluster.createPod(managed("before", {}));
    expect(await cpu(node, await cluster.podThat("before", phase("Running")), "main")).toBe("0-1");
    await node.host.run(["systemctl", "restart", "crio"]);
    await cluster.createPod(managed("after", {}));
    expect(await cpu(node, await cluster.podThat("after", phase("Running")), "main")).toBe("2");
    await node.host.replace(`${drops}/99-workload-pinning.conf`, table("x"));
    expect(await node.host.run(["systemctl", "restart", "crio"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cpuset "x" is not a list of CPUs') as string,
    });
  });
});

describe("static pods", () => {
  const manifest = (cpuRequest: string): string => `
apiVersion: v1
kind: Pod
metadata:
  name: etcd
  namespace: kube-system
  annotations:
    ${target}: '${effect}'
spec:
  containers:
    - name: etcd
      image: example.com/etcd
      resources:
        requests: { cpu: ${cpuRequest}, memory: 50Mi }
`;
  const mirrors = async (node: string): Promise<Pod[]> =>
    (await cluster.admin.list(kinds.pod, { namespace: "kube-system" })).items.filter(
      ({ spec }) => spec?.nodeName === node,
    );

  test("run from the machine's manifests, rewritten where the node is partitioned, and follow them", async () => {
    const file = "/etc/kubernetes/manifests/etcd.yaml";
    const node = await machine("control", {
      [pinningFile]: "",
      [`${drops}/99-workload-pinning.conf`]: table("0-1"),
      [file]: manifest("300m"),
      "/etc/kubernetes/manifests/broken.yaml": "kind: [",
      "/etc/kubernetes/manifests/empty.yaml": "kind: Pod\nmetadata: { name: x }\nspec: {}",
    });
    const running = async (): Promise<Pod | undefined> =>
      (await mirrors("control")).find(({ status }) => status?.phase === "Running");
    const pod = await cluster.eventually(running);
    expect(pod).toMatchObject({
      metadata: {
        name: "etcd-control",
        annotations: {
          "kubernetes.io/config.source": "file",
          [target]: effect,
          "resources.workload.openshift.io/etcd": '{"cpushares":307}',
        },
        ownerReferences: [{ kind: "Node", name: "control" }],
      },
      spec: {
        containers: [{ resources: { requests: { memory: "50Mi", [cores]: "300" }, limits: { [cores]: "300" } } }],
      },
    });
    expect(await cpu(node, pod, "etcd")).toBe("0-1");

    // Deleting the object does not end a static pod.
    await cluster.admin.delete(kinds.pod, "etcd-control", { namespace: "kube-system", gracePeriodSeconds: 0 });
    await cluster.eventually(async () => {
      const again = await running();
      return again && again.metadata.uid !== pod.metadata.uid ? again : undefined;
    });
    await node.host.replace(file, manifest("100m"));
    await cluster.eventually(async () => {
      await cluster.clock.advance(10_000);
      const shares = (await running())?.metadata.annotations?.["resources.workload.openshift.io/etcd"];
      return shares === '{"cpushares":102}' ? true : undefined;
    });
    await node.host.remove(file);
    await cluster.eventually(async () => {
      await cluster.clock.advance(10_000);
      return (await mirrors("control")).length === 0 ? true : undefined;
    });
  });

  test("run as they are where the node is not partitioned, or where one cannot be rewritten", async () => {
    await machine("plain", { "/etc/kubernetes/manifests/etcd.yaml": manifest("300m") });
    const noMemory = manifest("300m").replace(", memory: 50Mi", "");
    await machine("spoiled", { [pinningFile]: "", "/etc/kubernetes/manifests/etcd.yaml": noMemory });
    for (const name of ["plain", "spoiled"]) {
      const [pod] = await cluster.eventually(async () => {
        const all = await mirrors(name);
        return all[0]?.status?.phase === "Running" ? all : undefined;
      });
      expect(pod?.spec?.containers[0]?.resources?.requests?.["cpu"]).toBe("300m");
      expect(pod?.metadata.annotations?.[target]).toBe(effect);
    }
  });
});

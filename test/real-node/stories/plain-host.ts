import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plainFiles } from "../../../src/domain/machine-config/kubelet-config/kubelet-files.ts";
import {
  emptyContents,
  type MachineContents,
  type MachineFile,
} from "../../../src/domain/machine-config/machine-contents.ts";
import type { HostFacts } from "../../../src/domain/machine-config/plain-hosts/host-facts.ts";
import { managerStates } from "../../../src/domain/machine-config/plain-hosts/kubelet-change.ts";
import { onHost } from "../../../src/domain/machine-config/plain-hosts/on-host.ts";
import { crioRuntimes } from "../../../src/domain/performance-profile/machine-config/crio-runtimes.ts";
import { runtimeHandler } from "../../../src/domain/performance-profile/names.ts";
import { inputOf } from "../../../src/domain/performance-profile/testing/facts.ts";
import { contentsOf } from "../../../src/language/ignition/file-contents.ts";
import type { JsonObject } from "../../../src/language/object/json.ts";
import { Ledger } from "../../../src/node/engine/ledger.ts";
import { LinuxHost } from "../../../src/node/host/linux-host.ts";
import { hostFacts } from "../../../src/node/on-node/machine-config/kubelet/host-facts.ts";
import { isReady, type Pod } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { nodeName } from "../harness/machine.ts";
import { pauseImage } from "../harness/node-programs.ts";
import type { RealCluster } from "../harness/real-cluster.ts";
import type { Stage } from "../harness/stage.ts";

/** Of the values that only presence tells from absence, some are not what the node has. */
const asked = { registryPullQPS: 0, eventRecordQPS: 0, serializeImagePulls: false, enableProfilingHandler: false };
const policies = { cpuManagerPolicy: "none", topologyManagerPolicy: "none" };

export function plainHostStories(stage: () => Stage): void {
  test("a KubeletConfig reaches a real kubelet as a drop-in, and merged into its file, zero values included", async () => {
    const { cluster } = stage();
    const facts = await factsOf(cluster);
    expect(facts.kubelet).toMatchObject({ dropInFolder: expect.stringContaining("kubelet.conf.d") });
    const before = await configuration(cluster);
    const { clusterDNS: _, ...others } = before;
    const wanted = { ...others, ...asked, ...policies };
    // The kubelet reports no empty list.
    const contents = setting({ ...asked, ...policies, clusterDNS: [] });
    const originals = facts.kubelet?.config;
    const ways: [way: string, facts: HostFacts][] = [
      ["drop-in", facts],
      ["merge", { ...facts, kubelet: facts.kubelet && { ...facts.kubelet, dropInFolder: undefined } }],
    ];
    for (const [way, of] of ways) {
      const { files, findings } = addedTo(contents, of);
      expect([way, files.length, findings]).toEqual([way, 1, []]);
      await restartWith(cluster, () => files.forEach(write));
      await eventually(60, `the kubelet has the fields of the ${way}`, async () => {
        expect(await configuration(cluster)).toEqual(wanted);
        return true;
      });
      await eventually(60, "the node is ready", () => cluster.isNodeReady());
      await restartWith(cluster, () => {
        for (const { path } of files) rmSync(path);
        if (originals?.text !== undefined) writeFileSync(originals.path, originals.text);
      });
      await eventually(60, "the kubelet has its own configuration again", async () => {
        expect(await configuration(cluster)).toEqual(before);
        return cluster.isNodeReady();
      });
    }
  });

  test("a pod of the RuntimeClass of a PerformanceProfile starts where containerd has got its handler", async () => {
    const { cluster } = stage();
    const facts = await factsOf(cluster);
    cluster.apply({
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "performance-story" },
      handler: runtimeHandler,
    });
    cluster.apply(pod);
    try {
      await eventually(60, "the pod is refused without the handler", () =>
        cluster.kubectl(["get", "events", "--namespace=default"]).includes(`"${runtimeHandler}"`),
      );
      const text = crioRuntimes(inputOf({}));
      const crio = {
        path: "/etc/crio/crio.conf.d/99-runtimes.conf",
        mode: 0o644,
        bytes: new TextEncoder().encode(text),
      };
      const { files, findings } = addedTo({ ...emptyContents, files: [crio] }, facts);
      expect(findings).toContain(
        "containerd does not honour the annotations cpu-load-balancing.crio.io, cpu-quota.crio.io, " +
          "irq-load-balancing.crio.io, cpu-c-states.crio.io, cpu-freq-governor.crio.io of pods",
      );
      files.forEach(write);
      await cluster.services.containerd.restart();
      await eventually(90, "the pod runs", async () => {
        const found = await cluster.api.get<Pod>("/api/v1/namespaces/default/pods/performance-story");
        return found !== undefined && isReady(found);
      });
    } finally {
      cluster.kubectl(["delete", "pod", "performance-story", "--namespace=default", "--ignore-not-found"]);
      cluster.kubectl(["delete", "runtimeclass", "performance-story", "--ignore-not-found"]);
    }
  });
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "performance-story", namespace: "default" },
  spec: {
    runtimeClassName: "performance-story",
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "only", image: pauseImage }],
  },
};

function factsOf({ machine }: RealCluster): Promise<HostFacts> {
  return hostFacts(new LinuxHost(machine.outside("/")), new Ledger());
}

function setting(kubeletConfig: JsonObject): MachineContents {
  const files = plainFiles({ kubeletConfig }).map((file) => ({
    path: file.path,
    mode: 0o644,
    bytes: new TextEncoder().encode(contentsOf(file)),
  }));
  return { ...emptyContents, files };
}

function addedTo(
  contents: MachineContents,
  facts: HostFacts,
): { files: readonly MachineFile[]; findings: readonly string[] } {
  const { contents: host, findings } = onHost(contents, facts);
  return { files: host.files.filter((file) => !contents.files.includes(file)), findings };
}

/** The node's own files are in the folder that it shares with this machine. */
function write({ path, bytes }: MachineFile): void {
  writeFileSync(path, bytes);
}

/** The kubelet starts with changed files, and without the state of its managers. */
async function restartWith({ machine, services: { kubelet } }: RealCluster, change: () => void): Promise<void> {
  change();
  // It is killed in this call, and started again later.
  const restarted = kubelet.restart();
  for (const name of managerStates) rmSync(machine.outside(`/var/lib/kubelet/${name}`), { force: true });
  await restarted;
}

/** What the kubelet says that it runs with. */
async function configuration({ api }: RealCluster): Promise<JsonObject> {
  const found = await api.get<{ kubeletconfig: JsonObject }>(`/api/v1/nodes/${nodeName}/proxy/configz`);
  return found?.kubeletconfig ?? {};
}

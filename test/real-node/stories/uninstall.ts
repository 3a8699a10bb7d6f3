import { expect, test } from "vitest";
import { podsOf } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { differences, type NodeState, readNodeState } from "../harness/node-state.ts";
import type { RealCluster } from "../harness/real-cluster.ts";
import { runAttune, setTo, type Stage } from "../harness/stage.ts";

/** What an install must leave as it was. */
export interface Footprint {
  readonly kernel: NodeState;
  /** Of the whole file system, but for what the kubelet and containerd keep. */
  readonly files: readonly string[];
  readonly controlGroups: readonly string[];
}

export function footprint({ machine }: RealCluster): Footprint {
  return {
    kernel: readNodeState(machine.enter),
    files: machine.writtenFiles(),
    // Those of pods are the kubelet's.
    controlGroups: machine
      .run("find", "/sys/fs/cgroup", "-type", "d", "-not", "-path", "*/kubepods*")
      .split("\n")
      .sort(),
  };
}

async function expectAsBefore(cluster: RealCluster, before: Footprint): Promise<void> {
  await eventually(120, "the agent is gone", async () => (await podsOf(cluster, "agent")).length === 0);
  await eventually(
    60,
    "no container runs",
    () => !/attune/.test(cluster.machine.run("ctr", "-n", "k8s.io", "c", "ls")),
  );
  const after = footprint(cluster);
  expect(differences(before.kernel, after.kernel)).toEqual([]);
  expect(after.files).toEqual(before.files);
  expect(after.controlGroups).toEqual(before.controlGroups);
}

export function uninstallStories(stage: () => Stage, before: () => Footprint): void {
  test("`attune uninstall` leaves the node as it was", async () => {
    const { cluster, figures } = stage();
    await setTo(stage(), "2930");
    const began = performance.now();
    await runAttune(stage(), "uninstall");
    figures.addSeconds("`attune uninstall`", began);
    await expectAsBefore(cluster, before());
  });

  test("`kubectl delete` of the manifests leaves the node as it was", async () => {
    const { cluster, figures, image } = stage();
    const words = ["install", "--image", image, "--partitioning", "AllNodes"];
    const manifests = await runAttune(stage(), ...words);
    await runAttune(stage(), ...words, "--apply");
    await setTo(stage(), "2940", 120);
    const began = performance.now();
    cluster.kubectl(["delete", "--ignore-not-found", "--filename", "-"], manifests);
    figures.addSeconds("`kubectl delete` of the manifests", began);
    await expectAsBefore(cluster, before());
  });
}

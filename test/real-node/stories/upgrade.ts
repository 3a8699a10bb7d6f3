import { expect, test } from "vitest";
import { tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { readyPods } from "../harness/attune-pods.ts";
import { valuesDuring } from "../harness/polled-value.ts";
import { eventually } from "../harness/eventually.ts";
import { runAttune, setTo, sharedSysctl, type Stage } from "../harness/stage.ts";
import { partitioningMode } from "./partitioning.ts";

interface Rollout {
  spec: { template: { spec: { containers: { image: string }[] } } };
  status: { observedGeneration?: number; updatedNumberScheduled?: number; numberAvailable?: number };
  metadata: { generation: number };
}

export function upgradeStory(stage: () => Stage): void {
  test("another image replaces operator, webhook and agent, and no value moves", async () => {
    const { cluster, figures, image } = stage();
    const next = `${image}-next`;
    cluster.machine.run("ctr", "--namespace=k8s.io", "images", "tag", image, next);
    await setTo(stage(), "2920");
    const [before] = await readyPods(cluster, "agent", 1);
    const began = performance.now();
    const seen = await valuesDuring(`/proc/sys/${sharedSysctl.replaceAll(".", "/")}`, async () => {
      await runAttune(stage(), "install", "--apply", "--image", next);
      await eventually(180, "the agents are rolled out", async () => {
        const path = `/apis/apps/v1/namespaces/${tuningNamespace}/daemonsets/tuned`;
        const { spec, status, metadata } = (await cluster.api.get<Rollout>(path))!;
        const [container] = spec.template.spec.containers;
        const isNext = container?.image === next && status.observedGeneration === metadata.generation;
        return isNext && status.updatedNumberScheduled === 1 && status.numberAvailable === 1;
      });
    });
    figures.addSeconds("upgrade to another image, until the agents are rolled out", began);
    expect(Object.keys(seen)).toEqual(["2920"]);
    figures.add("reads of the value during the upgrade, all the same", String(seen["2920"]));
    const [after] = await readyPods(cluster, "agent", 1);
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    await setTo(stage(), "2921");
    expect(partitioningMode(cluster)).toBe("AllNodes");
  });
}

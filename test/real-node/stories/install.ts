import { expect, test } from "vitest";
import { tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import type { Profile } from "../../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../../src/language/object/condition.ts";
import { parts, podsOf, readyPods } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { nodeName } from "../harness/machine.ts";
import { networkSysctl, runAttune, setTo, sharedSysctl, type Stage } from "../harness/stage.ts";

export function installStory(stage: () => Stage): void {
  test("`install --apply` and a Tuned give the node its value, on a cluster that is partitioned", async () => {
    const { cluster, figures, image } = stage();
    const began = performance.now();
    await runAttune(stage(), "install", "--apply", "--image", image, "--partitioning", "AllNodes");
    figures.addSeconds("`attune install --apply`", began);
    await setTo(stage(), "2501", 120);
    figures.addSeconds("from `install --apply` to a tuned value", began);
    expect(cluster.sysctl(networkSysctl)).toBe("25");

    await readyPods(cluster, "operator", 2);
    await readyPods(cluster, "webhook", 2);
    await readyPods(cluster, "agent", 1);
    figures.addSeconds("from `install --apply` until every pod is ready", began);
    for (const part of parts)
      for (const { status } of await podsOf(cluster, part))
        expect([part, status?.containerStatuses?.[0]?.restartCount]).toEqual([part, 0]);
  });

  test("the Profile reports what the kernel has", async () => {
    const { cluster } = stage();
    const path = `/apis/tuned.openshift.io/v1/namespaces/${tuningNamespace}/profiles/${nodeName}`;
    const profile = await eventually(60, "the Profile is applied", async () => {
      const found = await cluster.api.get<Profile>(path);
      return findCondition(found?.status?.conditions, "Applied")?.status === "True" && found;
    });
    expect(profile.status?.tunedProfile).toBe("story");
    expect(findCondition(profile.status?.conditions, "Degraded")).toMatchObject({ status: "False" });
  });

  test("a changed Tuned changes the value, a deleted one gives the original back", async () => {
    const { cluster, figures } = stage();
    let began = performance.now();
    await setTo(stage(), "2502");
    figures.addSeconds("a changed Tuned, until the value is in `/proc/sys`", began);
    began = performance.now();
    cluster.kubectl(["delete", "tuned", "story", `--namespace=${tuningNamespace}`]);
    await eventually(60, "the original is back", () => cluster.sysctl(sharedSysctl) === "3000");
    figures.addSeconds("a deleted Tuned, until the original is back", began);
    expect(cluster.sysctl(networkSysctl)).toBe("60");
  });
}

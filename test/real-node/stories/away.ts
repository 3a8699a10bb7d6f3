import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { podsOf, readyPods } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { nodeName } from "../harness/machine.ts";
import { valuesDuring } from "../harness/polled-value.ts";
import { setTo, sharedSysctl, type Stage } from "../harness/stage.ts";

const path = `/proc/sys/${sharedSysctl.replaceAll(".", "/")}`;
/** Longer than the lease of the leader. */
const frozenMs = 45_000;

export function awayStories(stage: () => Stage): void {
  test("a frozen API server moves no value, and the next Tuned takes effect after it thaws", async () => {
    const { cluster, figures } = stage();
    await setTo(stage(), "2900");
    const seen = await valuesDuring(path, async () => {
      cluster.services.apiserver.signal("STOP");
      try {
        await delay(frozenMs);
      } finally {
        cluster.services.apiserver.signal("CONT");
      }
    });
    expect(Object.keys(seen)).toEqual(["2900"]);
    const began = performance.now();
    await setTo(stage(), "2901", 120);
    figures.addSeconds(
      `an API server frozen for ${frozenMs / 1000} s, until the next Tuned is in \`/proc/sys\``,
      began,
    );
    await readyPods(cluster, "operator", 2);
    await readyPods(cluster, "webhook", 2);
  });

  test("a drained node keeps its values, and gets new ones after it is uncordoned", async () => {
    const { cluster, figures } = stage();
    await setTo(stage(), "2910");
    const [before] = await readyPods(cluster, "agent", 1);
    const began = performance.now();
    const seen = await valuesDuring(path, async () => {
      const words = ["--ignore-daemonsets", "--delete-emptydir-data", "--timeout=120s"];
      cluster.kubectl(["drain", nodeName, ...words]);
      await eventually(60, "the operator is evicted", async () =>
        (await podsOf(cluster, "operator")).every(({ status }) => status?.phase === "Pending"),
      );
    });
    figures.addSeconds("`kubectl drain`", began);
    expect(Object.keys(seen)).toEqual(["2910"]);
    const [after] = await readyPods(cluster, "agent", 1);
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    cluster.kubectl(["uncordon", nodeName]);
    await readyPods(cluster, "operator", 2);
    await setTo(stage(), "2911");
  });
}

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { groupFile, parts, processesOf, readyPods } from "../harness/attune-pods.ts";
import type { Stage } from "../harness/stage.ts";

const windowMs = 60_000;
const mebibyte = 2 ** 20;

export function usageStory(stage: () => Stage): void {
  test("control groups of idle pods are measured for a minute", { timeout: 180_000 }, async () => {
    const { cluster, figures } = stage();
    const pods = (
      await Promise.all(
        parts.map(async (part) =>
          (await readyPods(cluster, part, part === "agent" ? 1 : 2)).map((pod) => ({ part, pod })),
        ),
      )
    ).flat();
    const cpu = (): number[] => pods.map(({ pod }) => Number(groupFile(cluster, pod, "cpuacct/cpuacct.usage")) / 1e6);
    const before = cpu();
    await delay(windowMs);
    const after = cpu();
    for (const [index, { part, pod }] of pods.entries()) {
      const memory = new Map(
        groupFile(cluster, pod, "memory/memory.stat")
          .split("\n")
          .map((line) => line.split(" ") as [string, string]),
      );
      const mib = (bytes: string | number | undefined): string => (Number(bytes) / mebibyte).toFixed(1);
      const usage = Number(groupFile(cluster, pod, "memory/memory.usage_in_bytes"));
      const working = usage - Number(memory.get("total_inactive_file"));
      const [pid] = processesOf(cluster, pod);
      const status = readFileSync(cluster.machine.outside(`/proc/${pid}/status`), "utf8");
      const resident = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
      figures.add(
        `${part}, idle for a minute`,
        `${Math.round(after[index]! - before[index]!)} ms CPU; ${mib(working)} MiB working set (${mib(usage)} with page cache), ${mib(resident)} MiB resident`,
      );
      expect(usage).toBeGreaterThan(0);
    }
  });
}

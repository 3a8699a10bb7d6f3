import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Part, podsOf, processesOf, readyPods } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { valuesDuring } from "../harness/polled-value.ts";
import { setTo, sharedSysctl, type Stage } from "../harness/stage.ts";

const path = `/proc/sys/${sharedSysctl.replaceAll(".", "/")}`;
const counts = { operator: 2, webhook: 2, agent: 1 } as const;

/** Restarts of all containers of a part. */
async function restarts({ cluster }: Stage, part: Part): Promise<number> {
  const pods = await podsOf(cluster, part);
  return pods.reduce((sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 0), 0);
}

function killStory(stage: () => Stage, what: string, value: string, kill: () => Promise<void>): void {
  test(`kill -9 of ${what} moves no value, and the next Tuned takes effect`, async () => {
    const { figures } = stage();
    await setTo(stage(), value);
    let began = 0;
    const seen = await valuesDuring(path, async () => {
      began = performance.now();
      await kill();
    });
    expect(Object.keys(seen)).toEqual([value]);
    const next = String(Number(value) + 1);
    await setTo(stage(), next, 120);
    figures.addSeconds(`kill -9 of ${what}, until the next Tuned is in \`/proc/sys\``, began);
  });
}

export function killStories(stage: () => Stage): void {
  for (const [index, part] of (["operator", "webhook", "agent"] as const).entries())
    killStory(stage, `every ${part}`, `26${index}0`, async () => {
      const { cluster } = stage();
      const before = await restarts(stage(), part);
      for (const pod of await readyPods(cluster, part, counts[part]))
        cluster.machine.run("kill", "-KILL", ...processesOf(cluster, pod).map(String));
      await eventually(120, `the ${part} was started again`, async () => (await restarts(stage(), part)) > before);
      await readyPods(cluster, part, counts[part]);
    });

  killStory(stage, "the agent's containerd-shim", "2700", async () => {
    const { cluster } = stage();
    const before = await restarts(stage(), "agent");
    const [pod] = await readyPods(cluster, "agent", 1);
    const [pid] = processesOf(cluster, pod!);
    const shim = /^PPid:\t(\d+)$/m.exec(readFileSync(cluster.machine.outside(`/proc/${pid}/status`), "utf8"))?.[1];
    cluster.machine.run("kill", "-KILL", String(shim));
    await eventually(120, "the agent was started again", async () => (await restarts(stage(), "agent")) > before);
    await readyPods(cluster, "agent", 1);
  });

  for (const [index, name] of (["kubelet", "containerd", "apiserver", "etcd"] as const).entries())
    killStory(stage, name === "apiserver" ? "the API server" : name, `28${index}0`, async () => {
      const { cluster } = stage();
      await cluster.services[name].restart();
      await eventually(120, "the API server is ready", () => cluster.api.isReady());
      await eventually(120, "the node is ready", () => cluster.isNodeReady());
      await readyPods(cluster, "agent", 1);
    });
}

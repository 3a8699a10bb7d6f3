import { expect, it } from "vitest";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { InPlaceClusters } from "./in-place-clusters.ts";

const nodes = ["a", "b", "c", "d", "e"];
const inPlace = { replicas: 5, management: { upgradeType: "InPlace", inPlace: { maxUnavailable: 2 } } } as const;
const once = Object.fromEntries(nodes.map((name) => [name, 1]));

/** Boot arguments and a file: a restart is needed. */
const configured = (value: string): object => ({
  ...withFiles(file("/etc/tuning.conf", value)),
  kernelArguments: [`tuning=${value}`],
});

it(
  "rolls out a payload to five nodes, two at a time, each with one restart (hosted W-2, W-17)",
  { timeout: 180_000 },
  async () => {
    const world = await InPlaceClusters.start({ np1: nodes });
    await world.createNodePool("np1", inPlace);
    world.startOperator();
    const before = await world.finished("np1");
    expect(world.reboots()).toEqual(Object.fromEntries(nodes.map((name) => [name, 0])));
    world.mostAway.clear();
    await world.configure("np1", "50-tuning", configured("one"));
    await world.finished("np1", before);
    expect(world.reboots()).toEqual(once);
    expect(world.mostAway.get("np1")).toBe(2);
    for (const name of nodes) {
      expect(await world.text(name, "/etc/tuning.conf")).toBe("one");
      expect(await world.text(name, "/proc/cmdline")).toContain("tuning=one");
    }
    const { status } = await world.nodePool("np1");
    expect(status).toMatchObject({ version: "4.22.0", replicas: 5 });
  },
);

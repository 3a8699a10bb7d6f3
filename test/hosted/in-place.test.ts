import { expect, it } from "vitest";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { digestMirrorSet } from "../../src/domain/machine-config/image-policies/api.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { InPlaceClusters } from "./in-place-clusters.ts";
import { poolNamespace } from "./two-clusters.ts";

const nodes = ["a", "b", "c", "d", "e"];
const inPlace = { replicas: 5, management: { upgradeType: "InPlace", inPlace: { maxUnavailable: 2 } } } as const;
const each = (count: number): Record<string, number> => Object.fromEntries(nodes.map((name) => [name, count]));
const kills = process.env["ATTUNE_LONG"] ? 20 : 1;

/** Boot arguments and a file: a restart is needed. */
const configured = (value: string): object => ({
  ...withFiles(file("/etc/tuning.conf", value)),
  kernelArguments: [`tuning=${value}`],
});

it(
  "rolls out a payload to five nodes, two at a time, each with one restart, whatever happens to the operator (hosted W-2, W-17)",
  { timeout: 300_000 },
  async () => {
    const world = await InPlaceClusters.start({ np1: nodes });
    const { hosted } = world.clusters;
    await world.createNodePool("np1", inPlace);
    world.startOperator();
    const before = await world.finished("np1");
    expect(world.reboots()).toEqual(each(0));
    world.mostAway.clear();
    await world.configure("np1", "50-tuning", configured("one"));
    for (let kill = 0; kill < kills; kill++) {
      await world.events(3);
      await world.killOperator();
      world.startOperator();
    }
    await world.finished("np1", before);
    expect(world.reboots()).toEqual(each(1));
    expect(world.mostAway.get("np1")).toBe(2);
    for (const name of nodes) {
      expect(await world.text(name, "/etc/tuning.conf")).toBe("one");
      expect(await world.text(name, "/proc/cmdline")).toContain("tuning=one");
    }
    expect((await world.nodePool("np1")).status).toMatchObject({ version: "4.22.0", replicas: 5 });

    // What users of the hosted cluster write is reverted, and no node sees it.
    const { spec } = await hosted.client.get(machineConfigPoolKind, "np1");
    const rendering = spec?.configuration?.name ?? "";
    const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });
    await hosted.client.patch(
      machineConfigPoolKind,
      "np1",
      merge({ spec: { maxUnavailable: 5, configuration: { name: "x" } } }),
    );
    await hosted.client.patch(machineConfigKind, rendering, merge({ spec: { kernelArguments: ["evil=1"] } }));
    await world.until("the pool is as it was", async () => {
      const now = await hosted.client.get(machineConfigPoolKind, "np1");
      return JSON.stringify(now.spec) === JSON.stringify(spec);
    });
    await world.until("the rendered config is as it was", async () => {
      const { items } = await hosted.client.list(machineConfigKind);
      const found = items.find(({ metadata }) => metadata.name === rendering);
      return found?.spec?.kernelArguments?.join() === "tuning=one";
    });
    expect(world.reboots()).toEqual(each(1));
  },
);

it(
  "says on the NodePool what is wrong with a Tuned that only its hosted cluster can judge",
  { timeout: 300_000 },
  async () => {
    const world = await InPlaceClusters.start({ np1: ["a"] });
    const data = (profile: string): Record<string, string> => ({
      tuning: writeYaml({
        apiVersion: "tuned.openshift.io/v1",
        kind: "Tuned",
        metadata: { name: "memory" },
        spec: {
          profile: [{ name: "memory", data: "[main]\nsummary=x\n" }],
          recommend: [{ profile, priority: 20 }],
        },
      }),
    });
    const tune = async (profile: string): Promise<unknown> =>
      world.clusters.management.client.patch(
        kinds.configMap,
        "tuning",
        {
          type: "apply",
          object: {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "tuning", namespace: poolNamespace },
            data: data(profile),
          },
          force: true,
        },
        { namespace: poolNamespace, fieldManager: "test" },
      );
    const valid = async (): Promise<string | undefined> => {
      const found = findCondition((await world.nodePool("np1")).status?.conditions, "ValidTuningConfig");
      return found && `${found.status} ${found.reason} ${found.message}`.trim();
    };
    await tune("memory");
    await world.createNodePool("np1", {
      replicas: 1,
      management: { upgradeType: "InPlace" },
      tuningConfig: [{ name: "tuning" }],
    });
    world.startOperator();
    const before = await world.finished("np1");
    expect(await valid()).toBe("True AsExpected");
    await tune("nowhere");
    await world.until("the fault is reported", async () => (await valid())?.startsWith("False"));
    expect(await valid()).toBe(
      'False ValidationFailed ConfigMap tuning, Tuned memory: recommend[0].profile: profile "nowhere" does not exist; only nodes that have the profile already keep it, with its last usable text',
    );
    await tune("memory");
    await world.until("the NodePool is valid", async () => (await valid()) === "True AsExpected");
    expect(await world.finished("np1")).toBe(before);
  },
);

it("brings mirrors of images to the nodes of a NodePool, without a restart", { timeout: 300_000 }, async () => {
  const world = await InPlaceClusters.start({ np1: ["a"] });
  await world.createNodePool("np1", { replicas: 1, management: { upgradeType: "InPlace" } });
  world.startOperator();
  const before = await world.finished("np1");
  const imageDigestMirrors = [{ source: "q.example", mirrors: ["m.example"] }];
  await world.configure("np1", "mirrors", { imageDigestMirrors }, digestMirrorSet);
  await world.finished("np1", before);
  expect(await world.text("a", "/etc/containers/registries.conf")).toContain('location = "m.example"');
  expect(world.reboots()).toEqual({ a: 0 });
});

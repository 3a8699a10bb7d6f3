import { expect, it, onTestFinished } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { machineKind } from "../../src/domain/node-pool/cluster-api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { InPlaceClusters } from "./in-place-clusters.ts";
import { controlPlane, poolNamespace } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const replace: NonNullable<NodePool["spec"]> = {
  replicas: 2,
  management: {
    upgradeType: "Replace",
    replace: { strategy: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  },
  tuningConfig: [{ name: "tuning" }],
};

/** A Tuned with a setting and a boot argument. */
const tuning = (value: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "tuning", ...users },
  data: {
    tuning: writeYaml({
      apiVersion: "tuned.openshift.io/v1",
      kind: "Tuned",
      metadata: { name: "batch", namespace: "openshift-cluster-node-tuning-operator" },
      spec: {
        profile: [{ name: "batch", data: `[main]\nsummary=x\n[bootloader]\ncmdline_x=attune.test=${value}\n` }],
        recommend: [{ profile: "batch", priority: 20 }],
      },
    }),
  },
});

it(
  "replaces machines by such that boot with the new tuning, within the budget at every moment, and removes them with their NodePool",
  { timeout: 300_000 },
  async () => {
    const world = await InPlaceClusters.start({ beside: ["a"] });
    const { management, hosted } = world.clusters;
    const { client } = management;
    const tune = async (value: string): Promise<unknown> =>
      client.patch(
        kinds.configMap,
        "tuning",
        { type: "apply", object: tuning(value), force: true },
        { ...users, fieldManager: "test" },
      );
    await tune("one");
    await world.createNodePool("beside", { replicas: 1, management: { upgradeType: "InPlace" } });
    await world.createNodePool("batch", replace);
    world.startOperator();
    const bootedWith = async (value: string): Promise<string[]> =>
      world.until(`two machines boot with ${value}`, async () => {
        const names = [...world.replaced.keys()];
        const lines = await Promise.all(names.map((name) => world.text(name, "/proc/cmdline")));
        const isNew = lines.every((line) => line?.includes(`attune.test=${value}`));
        return names.length === 2 && isNew && names;
      });
    const before = await bootedWith("one");
    await world.finished("batch");

    const ready = (): number =>
      world.nodes
        .list()
        .filter(
          ({ metadata, status }) => metadata.labels?.[keys.nodePool] === "batch" && isTrue(status?.conditions, "Ready"),
        ).length;
    expect(ready()).toBe(2);
    const machines = createInformer(client, machineKind, { namespace: controlPlane });
    const stop = new AbortController();
    const watching = machines.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await watching;
    });
    await machines.whenSynced(stop.signal);
    const [fewest, most] = [[ready()], [machines.list().length]];
    const ends = [
      world.nodes.subscribe(() => fewest.push(ready())),
      machines.subscribe(() => most.push(machines.list().length)),
    ];
    const old = await world.finished("batch");
    await tune("two");
    const after = await bootedWith("two");
    await world.finished("batch", old);
    expect(before.filter((name) => after.includes(name))).toEqual([]);
    expect(Math.min(...fewest)).toBe(2);
    expect(Math.max(...most)).toBe(3);
    expect(await world.nodePool("batch")).toMatchObject({ status: { version: "4.22.0", replicas: 2 } });
    expect(world.reboots()).toEqual({ a: 0 });

    for (const end of ends) end();
    await client.delete(nodePoolKind, "batch", users);
    await world.until("the NodePool is gone", async () => !(await ifThere(client.get(nodePoolKind, "batch", users))));
    expect(machines.list()).toEqual([]);
    expect((await hosted.client.list(kinds.node)).items.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(world.replaced.size).toBe(0);
  },
);

import { expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import {
  annotations,
  asksForDrain,
  drainRequest,
  ownAnnotations,
  uncordonRequest,
  updateOf,
} from "../../src/domain/rollout/node-annotations.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { InPlaceClusters } from "./in-place-clusters.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
if (!isLong) console.log("not run: most forgeries (only with ATTUNE_LONG)");

const inPlace = { replicas: 3, management: { upgradeType: "InPlace", inPlace: { maxUnavailable: 1 } } } as const;
const path = "/etc/tuning.conf";
const configured = (value: string): object => ({
  ...withFiles(file(path, value)),
  kernelArguments: [`tuning=${value}`],
});

/** What a user may write on a Node, with the config that it is to have. */
const forgeries = (target: string): Record<string, string | null>[] => [
  { [annotations.desiredDrain]: drainRequest(target) },
  { [annotations.desiredDrain]: uncordonRequest(target) },
  { [annotations.currentConfig]: target, [annotations.state]: "Done" },
  { [annotations.currentConfig]: "rendered-np1-0", [annotations.state]: "Done" },
  { [annotations.state]: "Degraded", [annotations.reason]: "forged" },
  { [annotations.state]: "Unreconcilable" },
  { [annotations.state]: "Lost" },
  { [annotations.state]: "Nonsense" },
  { [annotations.lastAppliedDrain]: drainRequest(target) },
  { [annotations.lastAppliedDrain]: uncordonRequest(target) },
  { [annotations.postConfigAction]: "Rebooting" },
  { [annotations.desiredConfig]: "evil" },
  { [annotations.desiredConfig]: null, [annotations.currentConfig]: null, [annotations.state]: null },
  ...Object.values(ownAnnotations).flatMap((name) => [{ [name]: "forged" }, { [name]: target }, { [name]: null }]),
];

it(
  "annotations that a user forges during a rollout, and after it, delay it: nodes get what was ordered",
  { timeout: isLong ? 900_000 : 300_000 },
  async () => {
    const world = await InPlaceClusters.start({ np1: ["a", "b"], np2: ["c"] });
    const { client } = world.clusters.hosted;
    for (const name of ["np1", "np2"]) await world.createNodePool(name, inPlace);
    world.startOperator();
    let hash = await world.finished("np1");
    const others = await world.finished("np2");
    world.mostAway.clear();
    const { apiVersion, kind } = machineConfigKind;
    const evil = { apiVersion, kind, metadata: { name: "evil" }, spec: withFiles(file(path, "evil")) ?? {} };
    await client.create(machineConfigKind, evil);
    const count = isLong ? forgeries("").length : 1;
    for (let index = 0; index < count; index++) {
      const value = `value-${index}`;
      const before = await client.get(machineConfigPoolKind, "np1");
      await world.configure("np1", "50-tuning", configured(value));
      const target = await world.until("a target", async () => {
        const { spec } = await client.get(machineConfigPoolKind, "np1");
        const name = spec?.configuration?.name;
        return name !== before.spec?.configuration?.name && name;
      });
      const forged = forgeries(target)[index]!;
      const patch = { type: "merge", patch: { metadata: { annotations: forged } } } as const;
      const forge = (): Promise<unknown> => client.patch(kinds.node, "a", patch);
      const settled = async (): Promise<void> => {
        for (const name of ["a", "b"])
          await world.until(`${name} is as ordered, although ${JSON.stringify(forged)}`, async () => {
            const { metadata, spec } = await client.get(kinds.node, name);
            const update = updateOf(metadata);
            const { current, desired, state, desiredDrain, lastAppliedDrain } = update;
            const isDone = current === target && desired === target && state === "Done";
            const isAnswered = !asksForDrain(update) && desiredDrain === lastAppliedDrain;
            return isDone && isAnswered && (await world.text(name, path)) === value && spec?.["unschedulable"] !== true;
          });
      };
      // A node that fails twice on a config is not asked again.
      const most = ["Degraded", "Unreconcilable"].includes(forged[annotations.state] ?? "") ? 1 : 10;
      const forging: Promise<unknown>[] = [];
      let events = 0;
      const end = world.nodes.subscribe(() => {
        if (++events % 4 === 0 && forging.length < most) forging.push(forge());
      });
      hash = await world.finished("np1", hash);
      end();
      await Promise.all(forging);
      // Whoever hides that the operator cordoned a node has cordoned it.
      if (forged[ownAnnotations.cordonedFor] === null)
        await client.patch(kinds.node, "a", { type: "merge", patch: { spec: { unschedulable: null } } });
      for (let times = 0; times < 5; times++) {
        await forge();
        await settled();
      }
    }
    expect(world.reboots()).toMatchObject({ b: count, c: 0 });
    expect(await world.finished("np2")).toBe(others);
    expect(world.mostAway.get("np2") ?? 0).toBe(0);
  },
);

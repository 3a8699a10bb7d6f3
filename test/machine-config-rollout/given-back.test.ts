import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { defaultTunedName } from "../../src/domain/node-tuning/default-tuned.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

test("nodes that were given back get their config again one by one, not all at once", async () => {
  const names = ["a", "b", "c"];
  const cluster = await RolloutCluster.start({ nodes: { worker: names } });
  const base = { ...withFiles(file("/etc/base.conf", "base")), kernelArguments: ["base=1"] };
  await cluster.apply("50-base", "worker", base);
  cluster.startOperator();
  await cluster.updated("worker", ["50-base"]);

  const manage = async (managementState: string): Promise<void> => {
    const patch = { type: "merge", patch: { spec: { managementState } } } as const;
    await cluster.admin.patch(tunedKind, defaultTunedName, patch, { namespace: tuningNamespace });
  };
  await manage("Removed");
  await cluster.until("all files are given back", async () => {
    const texts = await Promise.all(names.map((name) => cluster.text(name, "/etc/base.conf")));
    const { items } = await cluster.admin.list(kinds.pod, { namespace: tuningNamespace });
    return texts.every((text) => text === undefined) && items.length === 0;
  });

  const cordoned = new Set<string>();
  let most = 0;
  cluster.onNode(({ object }) => {
    const { name = "" } = object.metadata;
    if (object.spec?.unschedulable) cordoned.add(name);
    else cordoned.delete(name);
    most = Math.max(most, cordoned.size);
  });
  await manage("Managed");
  await cluster.until("all have it again", async () => {
    const texts = await Promise.all(names.map((name) => cluster.text(name, "/etc/base.conf")));
    return texts.every((text) => text === "base");
  });
  await cluster.updated("worker", ["50-base"]);
  expect(most).toBe(1);
});

import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  controllerConfigKind,
  controllerConfigName,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../src/domain/machine-config/api.ts";
import type { KindRef } from "../../src/language/object/meta.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { controllerConfigDefinition } from "../node-tuning/controller-config-definition.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { lowLatency, poolName, type ProfileCluster, tunedCluster } from "./profile-cluster.ts";

/** Each write that would begin a rendering of the machine config operator, in the order in which the server stored them. */
function writes({ client, signal, run }: ProfileCluster): () => readonly string[] {
  const seen: { readonly version: number; readonly text: string }[] = [];
  const follow = async (kind: KindRef): Promise<void> => {
    for await (const event of client.watch(kind, { sendInitialEvents: true, signal })) {
      if (event.type === "BOOKMARK" || event.type === "ERROR") continue;
      const { name, resourceVersion } = event.object.metadata;
      const content = JSON.stringify(event.object["spec"]);
      const isNew = event.type === "DELETED" || content !== contents.get(`${kind.kind} ${name}`);
      contents.set(`${kind.kind} ${name}`, content);
      if (isNew) seen.push({ version: Number(resourceVersion), text: `${event.type} ${name}` });
    }
  };
  const contents = new Map<string, string>();
  for (const kind of [machineConfigKind, kubeletConfigKind])
    run(follow(kind).catch((error: unknown) => void (signal.aborted || Promise.reject(error as Error))));
  return () => seen.toSorted((a, b) => a.version - b.version).map(({ text }) => text);
}

const [boot, files, kubelet] = ["50-nto-worker-cnf", "50-performance-low-latency", "performance-low-latency"];

describe("beside a Machine Config Operator", { timeout: 90_000 }, () => {
  it("objects of a profile are written after its boot arguments are known, and pools never (machine-config W-20)", async () => {
    const cluster = await tunedCluster(["a", "b"]);
    const { client } = cluster;
    await client.create(kinds.customResourceDefinition, controllerConfigDefinition as never);
    const { apiVersion, kind } = controllerConfigKind;
    await eventually("the kind is served", () => client.list(controllerConfigKind));
    await client.create(controllerConfigKind, { apiVersion, kind, metadata: { name: controllerConfigName } });
    const pool = await client.get(machineConfigPoolKind, poolName);
    const seen = writes(cluster);
    cluster.runOperator();
    await cluster.agentsReport();

    await client.create(performanceProfileKind, lowLatency());
    await eventually("all are written", () => Promise.resolve(seen().length >= 3));
    expect(seen()[0]).toBe(`ADDED ${boot}`);
    expect(seen().slice(1).toSorted()).toEqual([`ADDED ${files}`, `ADDED ${kubelet}`]);

    const cpu = { reserved: "0-1", isolated: "2-3" };
    await client.patch(performanceProfileKind, "low-latency", { type: "merge", patch: { spec: { cpu } } });
    await eventually("all are changed", () => Promise.resolve(seen().length >= 6));
    expect(seen()[3]).toBe(`MODIFIED ${boot}`);
    expect(seen().slice(4).toSorted()).toEqual([`MODIFIED ${files}`, `MODIFIED ${kubelet}`]);

    await client.delete(performanceProfileKind, "low-latency");
    await gone("the profile", () => client.get(performanceProfileKind, "low-latency"));
    await eventually("all are deleted", () => Promise.resolve(seen().length >= 9));
    expect(seen()[6]).toBe(`DELETED ${boot}`);
    expect(seen().slice(7).toSorted()).toEqual([`DELETED ${files}`, `DELETED ${kubelet}`]);
    expect((await client.get(machineConfigPoolKind, poolName)).metadata.resourceVersion).toBe(
      pool.metadata.resourceVersion,
    );
  });
});

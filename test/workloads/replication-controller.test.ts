import { afterEach, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runReplicationControllers } from "../../src/embedded/lab/workloads/replica-set/replica-set-controller.ts";
import { type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const labels = { app: "few" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } };
const few = { metadata: { name: "few" }, spec: { replicas: 3, selector: labels, template } };
const deleteFew = (propagationPolicy: "Background" | "Foreground" | "Orphan"): Promise<unknown> =>
  stage.client.delete(kinds.replicationController, "few", { namespace: "default", propagationPolicy });

describe("a ReplicationController", () => {
  it("keeps its number of pods, adopts what it selects and reports its status", async () => {
    stage = await staged(runReplicationControllers);
    await stage.create(kinds.pod, { metadata: { name: "stray", labels }, spec: template.spec });
    await stage.create(kinds.pod, { metadata: { name: "other", labels: { app: "x" } }, spec: template.spec });
    await stage.create(kinds.replicationController, few);
    await stage.settle();
    const owned = (await stage.pods()).filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === "few");
    expect(owned).toHaveLength(3);
    expect(owned.map(({ metadata }) => metadata.name)).toContain("stray");
    expect(owned[0]?.metadata.ownerReferences?.[0]).toMatchObject({ apiVersion: "v1", kind: "ReplicationController" });
    const { status, spec } = await stage.get(kinds.replicationController, "few");
    expect(status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    expect(spec?.selector).toEqual(labels);
    await stage.merge(kinds.replicationController, "few", { spec: { replicas: 1 } });
    await stage.settle();
    expect((await stage.get(kinds.replicationController, "few")).status).toMatchObject({ replicas: 1 });
  });

  it("is deleted with its pods, after its pods, or without them", async () => {
    stage = await staged(runReplicationControllers);
    for (const [policy, left] of [
      ["Background", 0],
      ["Foreground", 0],
      ["Orphan", 3],
    ] as const) {
      await stage.create(kinds.replicationController, few);
      await stage.settle();
      await deleteFew(policy);
      await stage.settle();
      expect(await stage.list(kinds.replicationController)).toEqual([]);
      expect(await stage.pods()).toHaveLength(left);
    }
    expect((await stage.pods()).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  });
});

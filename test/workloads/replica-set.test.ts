import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runDeployments } from "../../src/embedded/lab/workloads/deployment/deployment-controller.ts";
import { newReplicaSet } from "../../src/embedded/lab/workloads/deployment/new-replica-set.ts";
import { runReplicaSets } from "../../src/embedded/lab/workloads/replica-set/replica-set-controller.ts";
import type { ReplicaSet } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { prepared, type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const labels = { app: "few" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } };
const replicaSet = (spec: object = {}): Omit<ReplicaSet, "apiVersion" | "kind"> => ({
  metadata: { name: "few" },
  spec: { replicas: 2, selector: { matchLabels: labels }, template, ...spec },
});
const status = async (): Promise<ReplicaSet["status"]> => (await stage.get(kinds.replicaSet, "few")).status;

describe("a ReplicaSet", () => {
  it("adopts pods that it selects, and replaces pods that it no longer selects", async () => {
    stage = await staged(runReplicaSets);
    await stage.create(kinds.pod, { metadata: { name: "stray", labels }, spec: template.spec });
    await stage.create(kinds.replicaSet, replicaSet());
    await stage.settle();
    expect((await stage.pods()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(["few", "few"]);
    await stage.merge(kinds.pod, "stray", { metadata: { labels: { app: "none" } } });
    await stage.settle();
    expect((await stage.get(kinds.pod, "stray")).metadata.ownerReferences).toBeUndefined();
    expect((await stage.pods()).length).toBe(3);
    expect(await status()).toMatchObject({ replicas: 2, readyReplicas: 2, fullyLabeledReplicas: 2 });
  });

  it("counts pods as available after minReadySeconds", async () => {
    stage = await staged(runReplicaSets);
    await stage.create(kinds.replicaSet, replicaSet({ minReadySeconds: 30 }));
    await stage.settle();
    expect(await status()).toMatchObject({ readyReplicas: 2 });
    expect((await status())?.availableReplicas).toBeUndefined();
    await stage.clock.advance(30_000);
    await stage.settle();
    expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
  });

  it("creates no pods during its foreground deletion", async () => {
    stage = await staged(runReplicaSets);
    await stage.create(kinds.replicaSet, replicaSet());
    await stage.settle();
    await stage.client.delete(kinds.replicaSet, "few", { namespace: "default", propagationPolicy: "Foreground" });
    await stage.settle();
    expect([await stage.pods(), await stage.list(kinds.replicaSet)]).toEqual([[], []]);
  });

  it("reports why pods cannot be created, and creates them when they can", async () => {
    stage = await prepared(runDeployments, runReplicaSets);
    let refused = true;
    let attempts = 0;
    stage.start({
      beforeWrite: (write) => {
        if (write !== "create pods" || !refused) return;
        attempts++;
        throw new ApiError({ code: 403, reason: "Forbidden", message: "exceeded quota" });
      },
    });
    await stage.create(kinds.deployment, { ...replicaSet({ replicas: 100 }), metadata: { name: "few" } });
    await stage.settle();
    const { status } = await stage.get(kinds.deployment, "few");
    expect(status?.conditions?.find(({ type }) => type === "ReplicaFailure")).toMatchObject({
      status: "True",
      reason: "FailedCreate",
      message: "exceeded quota",
    });
    // One request at a time, with a growing backoff.
    expect(attempts).toBeLessThan(20);
    refused = false;
    await stage.clock.advance(30_000);
    await stage.settle();
    const { status: after } = await stage.get(kinds.deployment, "few");
    expect(after).toMatchObject({ readyReplicas: 100 });
    expect(after?.conditions?.some(({ type }) => type === "ReplicaFailure")).toBe(false);
  });
});

describe("a Deployment whose ReplicaSet's name is taken", () => {
  it("uses another name, and counts the collision", async () => {
    stage = await prepared(runDeployments, runReplicaSets);
    const deployment = await stage.create(kinds.deployment, { ...replicaSet(), metadata: { name: "web" } });
    const other = { app: "other" };
    await stage.create(kinds.replicaSet, {
      metadata: { name: newReplicaSet(deployment).metadata.name },
      spec: { replicas: 0, selector: { matchLabels: other }, template: { ...template, metadata: { labels: other } } },
    });
    stage.start();
    await stage.settle();
    expect((await stage.get(kinds.deployment, "web")).status).toMatchObject({ collisionCount: 1, readyReplicas: 2 });
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runDeployments } from "../../src/embedded/lab/workloads/deployment/deployment-controller.ts";
import { runReplicaSets } from "../../src/embedded/lab/workloads/replica-set/replica-set-controller.ts";
import type { Deployment } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const labels = { app: "web" };
type Spec = Partial<NonNullable<Deployment["spec"]>>;
const deployment = (spec: Spec = {}): Omit<Deployment, "apiVersion" | "kind"> => ({
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } },
    ...spec,
  },
});
const image = (name: string): object => ({
  spec: { template: { spec: { containers: [{ name: "c", image: name }] } } },
});

async function summary(): Promise<unknown> {
  const { status } = await stage.get(kinds.deployment, "web");
  const { conditions = [], ...counts } = status ?? {};
  return {
    ...counts,
    conditions: conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`).toSorted(),
  };
}

describe("a Deployment", () => {
  it("creates pods and reports them in its status", async () => {
    stage = await staged(runDeployments, runReplicaSets);
    await stage.create(kinds.deployment, deployment());
    await stage.settle();
    expect(await summary()).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      conditions: ["Available=True MinimumReplicasAvailable", "Progressing=True NewReplicaSetAvailable"],
    });
    expect((await stage.pods()).length).toBe(3);
    const [replicaSet] = await stage.list(kinds.replicaSet);
    expect(await stage.events("Deployment")).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${replicaSet?.metadata.name} from 0 to 3`,
    ]);
  });

  it("rolls out a new template and keeps the old ReplicaSet", async () => {
    stage = await staged(runDeployments, runReplicaSets);
    await stage.create(kinds.deployment, deployment());
    await stage.settle();
    await stage.merge(kinds.deployment, "web", image("two"));
    await stage.settle();
    const sizes = (await stage.list(kinds.replicaSet)).map(({ spec, metadata }) => [
      spec?.template?.spec?.containers[0]?.image,
      spec?.replicas,
      metadata.annotations?.["deployment.kubernetes.io/revision"],
    ]);
    expect(sizes.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      ["one", 0, "1"],
      ["two", 3, "2"],
    ]);
    expect((await stage.get(kinds.deployment, "web")).metadata.annotations).toEqual({
      "deployment.kubernetes.io/revision": "2",
    });
    expect((await stage.pods()).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["two", "two", "two"]);
  });
});

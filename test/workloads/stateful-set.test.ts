import { afterEach, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runStatefulSets } from "../../src/embedded/lab/workloads/stateful-set/stateful-set-controller.ts";
import type { Pod, StatefulSet } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const labels = { app: "db" };
type Spec = Partial<NonNullable<StatefulSet["spec"]>>;
const statefulSet = (spec: Spec = {}): Omit<StatefulSet, "apiVersion" | "kind"> => ({
  metadata: { name: "db" },
  spec: {
    replicas: 3,
    serviceName: "db",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } },
    ...spec,
  },
});
const image = (name: string): object => ({
  spec: { template: { spec: { containers: [{ name: "c", image: name }] } } },
});
const data = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

async function images(): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await stage.pods()).map(({ metadata, spec }) => [metadata.name ?? "", spec?.containers[0]?.image ?? ""]),
  );
}
const names = async (): Promise<string[]> => Object.keys(await images()).toSorted();

/** Pods become ready only where this holds. */
function readyOnly(holds: (pod: Pod) => boolean): void {
  stage.play = (pod) => (holds(pod) ? stage.ready(pod) : undefined);
}

describe("a StatefulSet", () => {
  it("creates pods one after the other, each with its identity and its claims", async () => {
    stage = await staged(runStatefulSets);
    readyOnly(({ metadata }) => metadata.name !== "db-1");
    await stage.create(kinds.statefulSet, statefulSet({ volumeClaimTemplates: [data] }));
    await stage.settle();
    expect(await names()).toEqual(["db-0", "db-1"]);
    stage.play = (pod) => stage.ready(pod);
    await stage.settle();
    expect(await names()).toEqual(["db-0", "db-1", "db-2"]);
    const { metadata, spec } = await stage.get(kinds.pod, "db-2");
    const { updateRevision, ...status } = (await stage.get(kinds.statefulSet, "db")).status ?? {};
    expect(metadata.labels).toEqual({
      app: "db",
      "apps.kubernetes.io/pod-index": "2",
      "controller-revision-hash": updateRevision,
      "statefulset.kubernetes.io/pod-name": "db-2",
    });
    expect([spec?.hostname, spec?.subdomain]).toEqual(["db-2", "db"]);
    expect(spec?.volumes?.find(({ name }) => name === "data")?.persistentVolumeClaim?.claimName).toBe("data-db-2");
    expect((await stage.list(kinds.persistentVolumeClaim)).map((claim) => claim.metadata.name)).toEqual([
      "data-db-0",
      "data-db-1",
      "data-db-2",
    ]);
    expect(status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: updateRevision,
      collisionCount: 0,
    });
  });

  it("updates from the highest ordinal down, and not below the partition", async () => {
    stage = await staged(runStatefulSets);
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
    await stage.create(kinds.statefulSet, statefulSet({ updateStrategy }));
    await stage.settle();
    readyOnly(({ metadata }) => metadata.name !== "db-2");
    await stage.merge(kinds.statefulSet, "db", image("two"));
    await stage.settle();
    expect(await images()).toEqual({ "db-0": "one", "db-1": "one", "db-2": "two" });
    stage.play = (pod) => stage.ready(pod);
    await stage.settle();
    expect(await images()).toEqual({ "db-0": "one", "db-1": "two", "db-2": "two" });
    await stage.client.delete(kinds.pod, "db-0", { namespace: "default" });
    await stage.settle();
    expect(await images()).toEqual({ "db-0": "one", "db-1": "two", "db-2": "two" });
    await stage.merge(kinds.statefulSet, "db", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await stage.settle();
    expect(await images()).toEqual({ "db-0": "two", "db-1": "two", "db-2": "two" });
  });

  it("replaces only deleted pods with the strategy OnDelete", async () => {
    stage = await staged(runStatefulSets);
    await stage.create(kinds.statefulSet, statefulSet({ updateStrategy: { type: "OnDelete" } }));
    await stage.settle();
    await stage.merge(kinds.statefulSet, "db", image("two"));
    await stage.settle();
    expect(await images()).toEqual({ "db-0": "one", "db-1": "one", "db-2": "one" });
    await stage.client.delete(kinds.pod, "db-1", { namespace: "default" });
    await stage.settle();
    expect(await images()).toEqual({ "db-0": "one", "db-1": "two", "db-2": "one" });
  });
});

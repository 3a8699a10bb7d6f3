import { afterEach, expect, test } from "vitest";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { OwnerReference } from "../../../../language/object/meta.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { memoryCaches } from "../testing/memory-caches.ts";
import { MemoryCluster } from "../testing/memory-cluster.ts";
import { testPod } from "../testing/objects.ts";
import { disruptionBudgetController } from "./disruption-budget-controller.ts";

let end = new AbortController();
afterEach(() => end.abort());

function world(): { clock: VirtualClock; cluster: MemoryCluster; status: () => object | undefined } {
  end = new AbortController();
  const clock = new VirtualClock();
  const cluster = new MemoryCluster(clock);
  const recorder = { record: () => {} };
  void disruptionBudgetController({ client: cluster.client, caches: memoryCaches(cluster), clock, recorder }).run(
    end.signal,
  );
  return { clock, cluster, status: () => cluster.get(kinds.podDisruptionBudget, "default/b")?.status };
}

const budget = (spec: object): never =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  }) as never;
const by = (kind: string, name: string): OwnerReference[] => [
  { apiVersion: "apps/v1", kind, name, uid: `${kind}-${name}`, controller: true },
];
const webPod = (name: string, owner: OwnerReference[], ready = "True"): never =>
  testPod(name, {
    meta: { labels: { app: "web" }, ownerReferences: owner },
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
  }) as never;

test("the expected pods of all ReplicaSets of a Deployment are the Deployment's replicas", async () => {
  const { clock, cluster, status } = world();
  const scaled = (
    kind: "Deployment" | "ReplicaSet",
    name: string,
    replicas: number,
    ownerReferences?: OwnerReference[],
  ): never =>
    ({
      apiVersion: "apps/v1",
      kind,
      metadata: { name, namespace: "default", uid: `${kind}-${name}`, ownerReferences },
      spec: { replicas },
    }) as never;
  cluster.put(kinds.deployment, scaled("Deployment", "web", 4));
  for (const [i, name] of ["old", "new"].entries()) {
    cluster.put(kinds.replicaSet, scaled("ReplicaSet", name, 2 + i, by("Deployment", "web")));
    for (const pod of ["x", "y"]) cluster.put(kinds.pod, webPod(`${name}-${pod}`, by("ReplicaSet", name)));
  }
  cluster.put(kinds.podDisruptionBudget, budget({ maxUnavailable: "25%" }));
  await clock.advance(1_000);
  expect(status()).toMatchObject({ expectedPods: 4, currentHealthy: 4, desiredHealthy: 3, disruptionsAllowed: 1 });
  cluster.put(kinds.pod, webPod("new-x", by("ReplicaSet", "new"), "False"));
  await clock.advance(1_000);
  expect(status()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 0 });
  cluster.put(kinds.deployment, scaled("Deployment", "web", 8));
  await clock.advance(1_000);
  expect(status()).toMatchObject({ expectedPods: 8, desiredHealthy: 6 });
});

test("an owner without a scale subresource closes the budget", async () => {
  const { clock, cluster, status } = world();
  cluster.client.raw = async () => ({ resources: [{ name: "daemonsets", kind: "DaemonSet" }] });
  cluster.put(kinds.pod, webPod("p", by("DaemonSet", "d")));
  cluster.put(kinds.podDisruptionBudget, budget({ maxUnavailable: 1 }));
  await clock.advance(1_000);
  expect(status()).toMatchObject({ disruptionsAllowed: 0, conditions: [{ reason: "SyncFailed" }] });
});

test("the scale subresource of an owner of any kind is read", async () => {
  const { clock, cluster, status } = world();
  cluster.client.raw = async (_method, path) =>
    path === "/apis/apps/v1"
      ? {
          resources: [
            { name: "things", kind: "Thing" },
            { name: "things/scale", kind: "Scale" },
          ],
        }
      : {
          metadata: { uid: "Thing-t" },
          spec: { replicas: path.endsWith("/namespaces/default/things/t/scale") ? 5 : 0 },
        };
  cluster.put(kinds.pod, webPod("p", by("Thing", "t")));
  cluster.put(kinds.podDisruptionBudget, budget({ maxUnavailable: 5 }));
  await clock.advance(1_000);
  expect(status()).toMatchObject({ expectedPods: 5, disruptionsAllowed: 1 });
});

test("a granted eviction expires after two minutes if the pod is not deleted", async () => {
  const { clock, cluster, status } = world();
  cluster.put(kinds.pod, webPod("p", []));
  const granted = new Date(clock.now()).toISOString();
  cluster.put(kinds.podDisruptionBudget, {
    ...(budget({ minAvailable: 0 }) as object),
    status: { disruptedPods: { p: granted } },
  } as never);
  await clock.advance(60_000);
  expect(status()).toMatchObject({ currentHealthy: 0, disruptedPods: { p: granted } });
  await clock.advance(61_000);
  expect(status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 1 });
  expect(status()).not.toHaveProperty("disruptedPods.p");
});

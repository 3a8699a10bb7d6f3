import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { nodeOf } from "../../src/embedded/lab/workloads/daemon-set/daemon-pod.ts";
import {
  runWorkloads,
  type ComponentState,
  type WorkloadComponent,
} from "../../src/embedded/lab/workloads/run-workloads.ts";
import { testNode } from "../../src/embedded/lab/workloads/testing/objects.ts";
import type { Pod } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { formatMicroTime, formatTime } from "../../src/language/object/time.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { until } from "../node-tuning/eventually.ts";

let server: ServerUnderTest;
let admin: HttpClient;
let kubelets: AbortController;
const ends: (() => Promise<void>)[] = [];

/** Marks bound pods as running and ready. */
function playKubelets(): void {
  const pods = createInformer(admin, kinds.pod);
  let addresses = 0;
  pods.subscribe(({ type, object }) => {
    const { name = "", namespace, deletionTimestamp } = object.metadata;
    if (type === "deleted" || !object.spec?.nodeName) return;
    if (deletionTimestamp) void admin.delete(kinds.pod, name, { namespace, gracePeriodSeconds: 0 }).catch(() => {});
    else if (object.status?.phase === "Pending") {
      const podIP = `10.0.0.${++addresses % 250}`;
      const condition = { type: "Ready", status: "True", lastTransitionTime: formatTime(Date.now()) };
      const status = { phase: "Running", conditions: [condition], podIP, podIPs: [{ ip: podIP }] };
      const patch = { type: "strategic", patch: { status } } as const;
      void admin.patch(kinds.pod, name, patch, { namespace, subresource: "status" }).catch(() => {});
    }
  });
  void pods.run(kubelets.signal);
}

/** Starts scheduler and controllers of one process; they end with the test. */
function start(): Map<WorkloadComponent, ComponentState> {
  const stop = new AbortController();
  const states = new Map<WorkloadComponent, ComponentState>();
  const running = runWorkloads({
    clientAs: (who) => admin.as(who),
    signal: stop.signal,
    onState: (side, state) => void states.set(side, state),
  });
  ends.push(async () => {
    stop.abort();
    await running;
  });
  return states;
}

const namespace = "shop";
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
});
const inShop = (of: { apiVersion: string; kind: string }, name: string, spec: object): never =>
  ({ apiVersion: of.apiVersion, kind: of.kind, metadata: { name, namespace }, spec }) as never;
const running = async (app: string): Promise<Pod[]> => {
  const { items } = await admin.list(kinds.pod, { namespace, labelSelector: `app=${app}` });
  return items.filter(({ status }) => status?.phase === "Running");
};

describe.each(serverVariants())(
  "scheduler and controllers together, each with the rights of the one it stands in for, on the $name server",
  { timeout: 120_000 },
  (variant) => {
    beforeAll(async () => {
      server = await variant.start();
      kubelets = new AbortController();
      admin = clientFor(server);
      await Promise.all(["a", "b", "c"].map((name) => admin.create(kinds.node, testNode(name))));
      await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
      playKubelets();
    });
    afterEach(async () => {
      await Promise.all(ends.splice(0).map((end) => end()));
    });
    afterAll(async () => {
      kubelets.abort();
      admin.close();
      await server.close();
    });

    it("create, schedule, count and protect the pods of workloads, with endpoints", async () => {
      start();
      const selector = { matchLabels: { app: "web" } };
      await admin.create(
        kinds.daemonSet,
        inShop(kinds.daemonSet, "agent", { selector: { matchLabels: { app: "agent" } }, template: template("agent") }),
      );
      await until(async () => (await admin.get(kinds.daemonSet, "agent", { namespace })).status?.numberAvailable === 3);
      expect((await running("agent")).map(nodeOf).toSorted()).toEqual(["a", "b", "c"]);
      // One agent on each: all nodes have the same score.
      await admin.create(
        kinds.deployment,
        inShop(kinds.deployment, "web", { replicas: 3, selector, template: template("web") }),
      );
      await admin.create(
        kinds.podDisruptionBudget,
        inShop(kinds.podDisruptionBudget, "web", { maxUnavailable: 1, selector }),
      );
      await until(
        async () => (await admin.get(kinds.deployment, "web", { namespace })).status?.availableReplicas === 3,
      );
      expect(new Set((await running("web")).map(nodeOf)).size).toBe(3);
      await until(async () => {
        const { status } = await admin.get(kinds.podDisruptionBudget, "web", { namespace });
        return status?.disruptionsAllowed === 1 && status.expectedPods === 3;
      });
      await admin.create(
        kinds.service,
        inShop(kinds.service, "web", { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] }),
      );
      await until(async () => {
        const { items } = await admin.list(kinds.endpointSlice, { namespace });
        return items.flatMap(({ endpoints }) => endpoints).filter(({ conditions }) => conditions?.ready).length === 3;
      });
      const { items } = await admin.list(kinds.event, { namespace });
      expect(new Set(items.map(({ reason }) => reason))).toContain("Scheduled");
    });

    it("leave a component idle while the real one renews its lease, and run it when the lease expires", async () => {
      const spec = { holderIdentity: "real", leaseDurationSeconds: 2, renewTime: formatMicroTime(Date.now()) };
      const lease = {
        apiVersion: kinds.lease.apiVersion,
        kind: "Lease",
        metadata: { name: "kube-scheduler", namespace: "kube-system" },
        spec,
      };
      await admin.create(kinds.lease, lease, { namespace: "kube-system" });
      const states = start();
      await until(() => states.get("controllers")?.type === "running" && states.has("scheduler"));
      expect(states.get("scheduler")).toEqual({ type: "idle", holder: "real" });
      await until(() => states.get("scheduler")?.type === "running");
      const renewal = { spec: { renewTime: formatMicroTime(Date.now()), leaseDurationSeconds: 60 } };
      await admin.patch(kinds.lease, "kube-scheduler", { type: "merge", patch: renewal }, { namespace: "kube-system" });
      await until(() => states.get("scheduler")?.type === "idle");
      expect(states.get("controllers")).toEqual({ type: "running" });
      await admin.delete(kinds.lease, "kube-scheduler", { namespace: "kube-system" });
      await until(() => states.get("scheduler")?.type === "running");
    });

    it("act in one process, and in the next when the first stops", async () => {
      const first = start();
      await until(() => first.get("scheduler")?.type === "running");
      const second = start();
      await until(() => second.get("scheduler")?.type === "candidate");
      await ends.shift()!();
      await until(() => second.get("scheduler")?.type === "running");
    });
  },
);

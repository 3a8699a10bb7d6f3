import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { clientOfAccount } from "../servers/client-for.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import {
  allowed,
  cores,
  infrastructures,
  partitionedCluster,
  type PartitionedCluster,
  podObject,
  target,
} from "./partitioned-cluster.ts";

const node = (name: string, amounts: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { capacity: amounts, allocatable: amounts },
});

for (const variant of emptyServers())
  describe(`pods and nodes that no webhook reviewed, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let cluster: PartitionedCluster;
    let admin: HttpClient;
    const stop = new AbortController();
    let running: Promise<void> = Promise.resolve();
    let counted: () => Promise<Record<string, number>>;

    beforeAll(async () => {
      cluster = await partitionedCluster(variant);
      ({ admin } = cluster);
      await cluster.namespace("openshift-x", allowed);
      const metrics = await createPromMetrics();
      counted = async () => {
        const text = await metrics.text();
        const values = text.matchAll(/^attune_partitioning_unreviewed\{kind="(\w+)"\} (\d+)$/gm);
        return Object.fromEntries([...values].map(([, kind = "", value]) => [kind, Number(value)]));
      };
      running = runOperator({
        client: await clientOfAccount(cluster.server, systemNamespace, operatorServiceAccount),
        image: "",
        agentServiceAccount: "agent",
        version: "1",
        leaderElection: false,
        signal: stop.signal,
        metrics,
      });
      running.catch(() => undefined);
    }, 120_000);
    afterAll(async () => {
      stop.abort();
      await running;
      await cluster?.close();
    });

    const create = (pod: KubeObject): Promise<KubeObject> =>
      admin.create<KubeObject>(kinds.pod, pod, { namespace: "openshift-x" });
    const told = async (): Promise<string[]> => {
      const lists = await Promise.all(
        ["openshift-x", "default"].map((namespace) => admin.list(kinds.event, { namespace })),
      );
      const events = lists.flatMap(({ items }) => items as unknown as Reported[]);
      return events
        .filter(({ reason }) => reason === "NotPartitioned")
        .map(({ involvedObject, message }) => `${involvedObject.kind} ${involvedObject.name}: ${message}`)
        .sort();
    };

    it("are counted and get an event each; no other pod or node does", async () => {
      const rewritten = { ...target, "resources.workload.openshift.io/one": '{"cpushares":256}' };
      const amounts = { [cores]: "250", memory: "64Mi" };
      const done = podObject("admitted", { annotations: rewritten });
      const containers = [{ name: "one", image: "i", resources: { requests: amounts, limits: { [cores]: "250" } } }];
      await create({ ...done, spec: { containers } });
      await create(podObject("ordinary"));
      await create(podObject("missed", { annotations: target }));
      const warning = "partitioning instructions are ignored: node bare is not partitioned: it reports no cores";
      const early = podObject("early", { annotations: { "workload.openshift.io/warning": warning } });
      await create({ ...early, spec: { ...(early["spec"] as object), nodeName: "bare" } });
      await admin.create(kinds.node, node("partitioned", { [cores]: "8k" }));
      await admin.create(kinds.node, node("bare", {}));
      await eventually(async () => expect(await counted()).toEqual({ Pod: 2, Node: 1 }));
      await eventually(async () =>
        expect(await told()).toEqual([
          expect.stringContaining("Node bare: the cluster is partitioned"),
          expect.stringContaining("Pod early: the pod asked for partitioning when its node had no cores"),
          expect.stringContaining("Pod missed: the pod asks for partitioning"),
        ]),
      );
    });

    it("are no longer counted once they are gone or the node has the resource", async () => {
      for (const name of ["missed", "early"])
        await admin.delete(kinds.pod, name, { namespace: "openshift-x", gracePeriodSeconds: 0 });
      const status = { capacity: { [cores]: "8k" }, allocatable: { [cores]: "8k" } };
      await admin.patch(kinds.node, "bare", { type: "merge", patch: { status } }, { subresource: "status" });
      await eventually(async () => expect(await counted()).toEqual({ Pod: 0, Node: 0 }));
    });

    it("are no matter of clusters that are not partitioned", async () => {
      const found = await admin.get(infrastructures, "cluster");
      await admin.update(infrastructures, { ...found, status: { cpuPartitioning: "None" } });
      await create(podObject("missed-too", { annotations: target }));
      await admin.update(infrastructures, {
        ...(await admin.get(infrastructures, "cluster")),
        status: { cpuPartitioning: "AllNodes" },
      });
      await eventually(async () => expect(await counted()).toEqual({ Pod: 1, Node: 0 }));
    });
  });

/** The operator learns of objects a little after they were written. */
const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 100_000, interval: 20 });

interface Reported {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

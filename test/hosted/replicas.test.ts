import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { createMissing } from "../../src/program/cli/up/cluster-access.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { controlPlane, poolNamespace, type TwoClusters, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const prefix = "hypershift.openshift.io/";
const eventKind: KindRef = {
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

const tuned = (name: string): string =>
  writeYaml({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name }, spec: {} });

let clusters: TwoClusters;
beforeAll(async () => {
  clusters = await twoClusters();
});
afterAll(() => clusters.close());

async function createTuned(pool: string, text: string): Promise<void> {
  const labels = { [`${prefix}tuned-config`]: "true", [`${prefix}nodePool`]: pool };
  const annotations = { [`${prefix}nodePool`]: `clusters/${pool}` };
  const metadata = { name: `tuned-${pool}`, namespace: controlPlane, labels, annotations };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { tuned: text } };
  await clusters.management.client.create(kinds.configMap, object);
}

async function mirrored(prefixed: string): Promise<void> {
  await eventually(`Tuned ${prefixed}`, async () => {
    const { items } = await clusters.hosted.client.list(tunedKind, { namespace: tuningNamespace });
    return items.some(({ metadata }) => metadata.name?.startsWith(`${prefixed}-`));
  });
}

/** An operator with an election, and the writes that it sent. */
function replica(): Noted & { readonly operator: HostedOperator } {
  const noted = { writes: [], reads: [] };
  const { management, hosted } = clusters;
  const clients = {
    management: { client: noting("management", management.client, noted) },
    hosted: { client: noting("hosted", hosted.client, noted) },
  };
  return { operator: new HostedOperator(clients, "documented", { leaderElection: true }), ...noted };
}

interface Noted {
  readonly writes: string[];
  readonly reads: string[];
}

function noting(cluster: string, client: Client, { writes, reads }: Noted): Client {
  return new Proxy(client, {
    get(target, verb: keyof Client) {
      const method = target[verb].bind(target) as (kind: KindRef, ...rest: unknown[]) => unknown;
      return (kind: KindRef, ...rest: unknown[]) => {
        const isWrite = ["create", "update", "patch", "delete"].includes(verb);
        (isWrite ? writes : reads).push(`${verb} ${kind.kind} of ${cluster}`);
        return method(kind, ...rest);
      };
    },
  });
}

it("only the leader of several replicas writes, and the next one leads when it stops", async () => {
  const [first, second] = [replica(), replica()];
  first.operator.start();
  await createTuned("np1", tuned("one"));
  await mirrored("one");
  second.operator.start();
  await eventually("the second follows the control plane namespace", () =>
    Promise.resolve(second.reads.includes("watch ConfigMap of management")),
  );
  await createTuned("np2", tuned("two"));
  await mirrored("two");
  expect(second.writes).toEqual([]);
  // The Lease is in the hosted cluster: of the management cluster the operator asks for ConfigMaps and Events.
  expect((await clusters.hosted.client.list(leaseKind, { namespace: tuningNamespace })).items).toHaveLength(1);
  expect((await clusters.management.client.list(leaseKind, { namespace: controlPlane })).items).toEqual([]);
  await first.operator.stop();
  await createTuned("np3", tuned("three"));
  await mirrored("three");
  expect(second.writes).toContain("update Lease of hosted");
  await second.operator.stop();
});

it("what is wrong with a ConfigMap is an Event beside it, and no Event of the hosted cluster", async () => {
  const { operator } = replica();
  operator.start();
  await createTuned("np4", "a: [");
  const message = await eventually("the Event", async () => {
    const { items } = await clusters.management.client.list(eventKind, { namespace: controlPlane });
    const found = items.find((one) => (one["regarding"] as { name?: string }).name === "tuned-np4");
    return found && { type: found["type"], reason: found["reason"], note: found["note"] };
  });
  expect(message).toMatchObject({ type: "Warning", reason: "InvalidTuned" });
  expect(message.note).toContain("ConfigMap tuned-np4");
  const hosted = await clusters.hosted.client.list(eventKind);
  expect(JSON.stringify(hosted.items)).not.toContain("tuned-np4");
  await operator.stop();
});

it("only the leader of several management sides writes, and the next one leads when it stops", async () => {
  const { client } = clusters.management;
  const system = { namespace: "attune-system" };
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: system.namespace } };
  await createMissing(client, kinds.namespace, home);
  const start = (): Noted & { stop(): Promise<void> } => {
    const noted = { writes: [], reads: [] };
    const end = new AbortController();
    const own = noting("management", client, noted);
    const running = runManagement({ client: own, signal: end.signal, image: "attune:test" });
    onTestFinished(async () => {
      end.abort();
      await running;
    });
    return {
      ...noted,
      async stop() {
        end.abort();
        await running;
      },
    };
  };
  const demo = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: {} };
  await client.create(hostedClusterKind, demo, users);
  const reported = async (name: string): Promise<void> => {
    const spec = { clusterName: "demo", tuningConfig: [{ name: "missing" }] };
    await client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name }, spec }, users);
    await eventually(`NodePool ${name} is invalid`, async () => {
      const { status } = await client.get(nodePoolKind, name, users);
      return findCondition(status?.conditions, "ValidTuningConfig")?.status === "False";
    });
    await eventually("its Event", async () => {
      const { items } = await client.list(kinds.event, users);
      return items.some(
        ({ involvedObject, reason }) => involvedObject.name === name && reason === "InvalidTuningConfig",
      );
    });
  };
  const first = start();
  await reported("led-by-first");
  const second = start();
  await eventually("the second follows NodePools", () =>
    Promise.resolve(second.reads.includes("watch NodePool of management")),
  );
  await reported("still-by-first");
  expect(second.writes).toEqual([]);
  const { items } = await client.list(leaseKind, system);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["attune-management"]);
  await first.stop();
  const writes = first.writes.length;
  await reported("by-second");
  expect(second.writes).toContain("update Lease of management");
  expect(first.writes).toHaveLength(writes);
});

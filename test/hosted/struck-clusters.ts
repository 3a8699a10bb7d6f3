import { setTimeout as delay } from "node:timers/promises";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { profileKind, tunedKind } from "../../src/domain/node-tuning/api.ts";
import { equal } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { managementFoundation } from "../../src/program/cli/install/manifests.ts";
import { hostedManifests } from "../../src/program/management/hosted-manifests.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { ifAway, StruckServer } from "../fault-proxy/struck-server.ts";
import { playAgents } from "../node-tuning-faults/agents.ts";
import { restartableVariants } from "../node-tuning-faults/restartable-server.ts";
import { untilEstablished } from "../servers/until.ts";
import { namespaceLike, controlPlane, poolNamespace } from "./two-clusters.ts";

const users = { namespace: poolNamespace };

/** A management cluster and a hosted one, each behind a proxy for both sides of Attune. */
export class StruckClusters {
  readonly management: StruckServer;
  readonly hosted: StruckServer;
  readonly requests: () => number;
  readonly #stop: () => Promise<void>;

  private constructor(management: StruckServer, hosted: StruckServer) {
    this.management = management;
    this.hosted = hosted;
    let sent = 0;
    const count = (): number => sent++;
    const end = new AbortController();
    const { signal } = end;
    const [atManagement, ofOperator, atHosted] = [
      management.behind(count),
      management.behind(count),
      hosted.behind(count),
    ];
    const common = { image: "attune:test", leaderElection: false, signal };
    const running = Promise.all([
      untilAborted(signal, () => runManagement({ ...common, client: atManagement })),
      untilAborted(signal, () =>
        runOperator({
          ...common,
          client: atHosted,
          controlPlane: { client: ofOperator, namespace: controlPlane },
          agentServiceAccount,
          version: "test",
          release: "4.22.0",
        }),
      ),
    ]);
    this.requests = () => sent;
    this.#stop = async () => {
      end.abort();
      await running;
      for (const client of [atManagement, ofOperator, atHosted]) client.close();
    };
  }

  static async open(): Promise<StruckClusters> {
    const [embedded] = restartableVariants();
    if (!embedded) throw new Error("there is always the embedded server");
    const start = async (): Promise<StruckServer> => StruckServer.open(await embedded.start());
    const [management, hosted] = await Promise.all([start(), start()]);
    const namespaces = [poolNamespace, controlPlane, "openshift-config-managed"];
    const own = namespaces.map(namespaceLike);
    await applyManifests(management.client, [...managementFoundation(), ...own]);
    await applyManifests(hosted.client, [...hostedManifests("documented"), ...own]);
    await untilEstablished(hosted.client);
    const metadata = { name: "demo", ...users };
    await management.client.create(hostedClusterKind, { apiVersion, kind: "HostedCluster", metadata, spec: {} }, users);
    for (const [name, nodePool] of [
      ["a", "np1"],
      ["b", "np1"],
      ["c", "np2"],
    ] as const) {
      const metadata = { name, labels: { "kubernetes.io/os": "linux", [keys.nodePool]: nodePool } };
      await hosted.client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata });
      // Without it, nothing is derived from a profile.
      const patch = { status: { nodeInfo: { architecture: "amd64" } } };
      await hosted.client.patch(kinds.node, name, { type: "merge", patch }, { subresource: "status" });
    }
    return new StruckClusters(management, hosted);
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.management.close();
    await this.hosted.close();
  }

  async createNodePool(name: string, tuning: readonly string[]): Promise<void> {
    const spec = { clusterName: "demo", replicas: 2, management: { upgradeType: "InPlace" as const } };
    const tuningConfig = tuning.map((one) => ({ name: one }));
    const object = { apiVersion, kind: "NodePool", metadata: { name, ...users }, spec: { ...spec, tuningConfig } };
    await this.management.client.create(nodePoolKind, object, users);
  }

  async refer(nodePool: string, tuning: readonly string[]): Promise<void> {
    const patch = { spec: { tuningConfig: tuning.map((name) => ({ name })) } };
    await this.management.client.patch(nodePoolKind, nodePool, { type: "merge", patch }, users);
  }

  async write(name: string, tuning: string): Promise<void> {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...users }, data: { tuning } };
    const patch = { type: "apply", object, force: true } as const;
    await this.management.client.patch(kinds.configMap, name, patch, { ...users, fieldManager: "test" });
  }

  async tune(name: string, swappiness: string): Promise<void> {
    const data = `[sysctl]\nvm.swappiness=${swappiness}\n`;
    const spec = { profile: [{ name, data }], recommend: [{ profile: name, priority: 20 }] };
    await this.write(
      name,
      JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name }, spec }),
    );
  }

  profile(): string {
    const spec = { cpu: { reserved: "0", isolated: "1-3" }, nodeSelector: { "node-role.kubernetes.io/worker": "" } };
    const kind = { apiVersion: "performance.openshift.io/v2", kind: "PerformanceProfile" };
    return JSON.stringify({ ...kind, metadata: { name: "latency" }, spec });
  }

  /** Plays the agents until the state is as expected, or the test times out. */
  async until(expected: object): Promise<void> {
    while (!equal(await this.#played(), expected)) await delay(20);
  }

  /** The state once it has stayed the same for a while, with both sides undisturbed. */
  async settled(): Promise<object> {
    let last: object | undefined;
    for (let same = 0; same < 25; await delay(40)) {
      const next = await this.#played();
      same = last && next && equal(last, next) ? same + 1 : 0;
      last = next ?? last;
    }
    return last ?? {};
  }

  async #played(): Promise<object | undefined> {
    await playAgents(this.hosted.client).catch(ifAway);
    return this.#outcome().catch(ifAway);
  }

  async #outcome(): Promise<object> {
    const [nodePools, configMaps, tuneds, profiles] = await Promise.all([
      this.management.client.list(nodePoolKind),
      this.management.client.list(kinds.configMap, { namespace: controlPlane }),
      this.hosted.client.list(tunedKind),
      this.hosted.client.list(profileKind),
    ]);
    const named = <T extends KubeObject>(items: readonly T[], read: (item: T) => unknown): object =>
      Object.fromEntries(items.map((item) => [item.metadata.name, read(item)]));
    return {
      nodePools: named(nodePools.items, ({ status }) =>
        status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`).toSorted(),
      ),
      configMaps: configMaps.items
        .map(({ metadata }) => metadata.name ?? "")
        .filter((name) => !name.startsWith("kube-root"))
        .toSorted(),
      tuneds: named(tuneds.items, ({ spec }) => spec),
      profiles: named(profiles.items, ({ spec }) => spec),
    };
  }
}

/** As a kubelet does with a program that cannot reach its server when it starts. */
async function untilAborted(signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  while (!signal.aborted)
    await run().catch(async (error: unknown) => {
      if ((error as { code?: unknown }).code === undefined) throw error;
      await delay(100);
    });
}

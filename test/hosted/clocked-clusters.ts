import { setMaxListeners } from "node:events";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Clock } from "../../src/cluster/runtime/clock.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { SmallServer } from "../../src/embedded/apiserver/testing/small-server.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { playAgents } from "../node-tuning-faults/agents.ts";
import type { Running } from "../node-tuning-faults/stage.ts";
import { clusterOperatorDefinition } from "../node-tuning/cluster-operator-definition.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { controlPlane, namespaceLike, poolNamespace } from "./two-clusters.ts";

export const users = { namespace: poolNamespace };

/** Of one process: what it reaches of each cluster, and its time. */
export interface Process {
  readonly management: Client;
  readonly hosted: Client;
  readonly clock?: Clock;
}

interface Options {
  readonly leaderElection?: boolean;
}

/** A management cluster and a hosted one without sockets, on one clock, which the test advances. */
export class ClockedClusters implements Process {
  readonly clock = new VirtualClock();
  readonly servers = {
    management: new SmallServer({ clock: this.clock }),
    hosted: new SmallServer({ clock: this.clock }),
  };
  /** Of the test. */
  readonly management: Client = new DirectClient(this.servers.management);
  readonly hosted: Client = new DirectClient(this.servers.hosted);
  readonly #stops = Object.values(this.servers).map((server) => server.startHousekeeping());

  /** With a HostedCluster, whose operator the test runs, and two nodes in each of two NodePools. */
  static async open(): Promise<ClockedClusters> {
    const clusters = new ClockedClusters();
    const { management, hosted } = clusters.servers;
    await prepare(management, nodePoolCrds, [poolNamespace, controlPlane, "attune-system"]);
    await prepare(
      hosted,
      [...nodeTuningCrds, ...machineConfigCrds, clusterOperatorDefinition],
      [tuningNamespace, "openshift-config-managed"],
    );
    const demo = { apiVersion, kind: "HostedCluster", metadata: { name: "demo", ...users }, spec: {} };
    await clusters.management.create(hostedClusterKind, demo, users);
    for (const nodePool of ["np1", "np2"]) {
      for (const suffix of ["a", "b"]) await clusters.join(`${nodePool}-${suffix}`, nodePool);
      await clusters.tune(nodePool, 11);
      const spec = { clusterName: "demo", replicas: 2, management: { upgradeType: "InPlace" as const } };
      const metadata = { name: nodePool, ...users };
      const references = { tuningConfig: [{ name: nodePool }] };
      const object = { apiVersion, kind: "NodePool", metadata, spec: { ...spec, ...references } };
      await clusters.management.create(nodePoolKind, object, users);
    }
    return clusters;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  async join(name: string, nodePool: string): Promise<void> {
    const labels = { "kubernetes.io/os": "linux", [keys.nodePool]: nodePool };
    await this.hosted.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  }

  /** What the Tuned of a NodePool sets. */
  async tune(nodePool: string, swappiness: number): Promise<void> {
    const profile = [{ name: nodePool, data: `[sysctl]\nvm.swappiness=${swappiness}\n` }];
    const spec = { profile, recommend: [{ profile: nodePool, priority: 20 }] };
    const tuned = { apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name: nodePool }, spec };
    const metadata = { name: nodePool, ...users };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { tuning: JSON.stringify(tuned) } };
    const patch = { type: "apply", object, force: true } as const;
    await this.management.patch(kinds.configMap, nodePool, patch, { ...users, fieldManager: "test" });
  }

  startManagement({ management, clock = this.clock }: Process, { leaderElection = false }: Options = {}): Running {
    return this.#start((signal) =>
      runManagement({ client: management, signal, image: "attune:test", leaderElection, clock }),
    );
  }

  startOperator(
    { management, hosted, clock = this.clock }: Process,
    { leaderElection = false }: Options = {},
  ): Running {
    return this.#start((signal) =>
      runOperator({
        client: hosted,
        controlPlane: { client: management, namespace: controlPlane },
        signal,
        image: "attune:test",
        agentServiceAccount: "attune-agent",
        version: "1.2.3",
        features: { machineConfigPools: true, clusterOperators: true },
        leaderElection,
        clock,
      }),
    );
  }

  /** Runs everything until nothing is written for a second. */
  async settle(): Promise<void> {
    const revision = (): string =>
      Object.values(this.servers)
        .map(({ store }) => store.revision)
        .join();
    let played = "";
    for (let quiet = 0; quiet < 10;) {
      const before = revision();
      // Agents have nothing to do while nothing is written.
      if (played !== before) await playAgents(this.hosted);
      played = revision();
      await this.clock.advance(100);
      quiet = revision() === before ? quiet + 1 : 0;
    }
  }

  #start(run: (signal: AbortSignal) => Promise<void>): Running {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const state = { ended: false, failure: undefined as unknown };
    void run(stop.signal)
      .catch((error: unknown) => (state.failure = error))
      .finally(() => (state.ended = true));
    return {
      failure: () => state.failure,
      stop: async () => {
        stop.abort();
        while (!state.ended) await this.clock.advance(100);
      },
    };
  }
}

async function prepare(server: SmallServer, crds: readonly KubeObject[], namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) await server.create("namespaces", namespaceLike(namespace));
  for (const definition of crds) await server.create("customresourcedefinitions", definition);
  await server.settled();
}

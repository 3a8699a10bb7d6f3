import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import type { Exposition, Metrics } from "../../src/cluster/runtime/metrics/metrics.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { adminKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import { namespaceObject } from "../../src/language/object/confinement.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { managementFoundation } from "../../src/program/cli/install/manifests.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { unitPrograms } from "../../src/program/cli/lab/unit-programs.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { poolNamespace } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
export const nodePoolNames = ["one", "two"] as const;

interface Cluster {
  readonly client: HttpClient;
  readonly machines: readonly VirtualNode[];
}

/** A management cluster with many hosted ones. Their operators run as pods of the management cluster. */
export class ManyClusters {
  readonly management: HttpClient;
  readonly hosted = new Map<string, Cluster>();
  readonly metrics: Metrics & Exposition;
  readonly #end = new AbortController();
  readonly #dir: string;
  readonly #servers: ApiServer[] = [];
  readonly #parts: Promise<void>[] = [];

  private constructor(dir: string, metrics: Metrics & Exposition, management: HttpClient) {
    this.#dir = dir;
    this.metrics = metrics;
    this.management = management;
  }

  static async start(): Promise<ManyClusters> {
    const dir = await mkdtemp(join(tmpdir(), "attune-hosted-"));
    const server = await startServer({ dir: join(dir, "management"), storage: "memory" });
    const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    const world = new ManyClusters(dir, await createPromMetrics(), client);
    world.#servers.push(server);
    onTestFinished(() => world.#stop());
    await applyManifests(client, [...managementFoundation(), namespaceObject(poolNamespace, "restricted")]);
    const { signal } = world.#end;
    world.#parts.push(
      runManagement({ client, signal, image: "attune:test", leaderElection: false, metrics: world.metrics }),
      world.#lab(client, machinesOf(["management-1", "management-2"], {})),
    );
    return world;
  }

  /** A hosted cluster with two NodePools of so many nodes each, tuned by one Tuned each. */
  async addCluster(name: string, nodes: number): Promise<void> {
    const server = await startServer({ dir: join(this.#dir, name), storage: "memory" });
    this.#servers.push(server);
    const { url, authority } = server;
    const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    const machines = nodePoolNames.flatMap((pool) =>
      machinesOf(
        Array.from({ length: nodes }, (_, index) => `${pool}-${index}`),
        { [keys.nodePool]: `${name}-${pool}` },
      ),
    );
    this.hosted.set(name, { client, machines });
    this.#parts.push(this.#lab(client, machines));
    const access = adminKubeconfig({ server: url, caPem: authority.caPem, token: authority.adminToken });
    const data = { kubeconfig: Buffer.from(access).toString("base64") };
    await this.management.create(
      kinds.secret,
      { apiVersion: "v1", kind: "Secret", metadata: { name, ...users }, data },
      users,
    );
    const spec = { kubeconfig: { name }, release: { image: "release:4.22.0" } };
    await this.management.create(
      hostedClusterKind,
      { apiVersion, kind: "HostedCluster", metadata: { name, ...users }, spec },
      users,
    );
    for (const pool of nodePoolNames) {
      await this.tune(name, pool, "11");
      const tuning = { tuningConfig: [{ name: `${name}-${pool}` }], management: { upgradeType: "InPlace" as const } };
      await this.management.create(
        nodePoolKind,
        {
          apiVersion,
          kind: "NodePool",
          metadata: { name: `${name}-${pool}`, ...users },
          spec: { clusterName: name, replicas: nodes, ...tuning },
        },
        users,
      );
    }
  }

  /** What the Tuned of a NodePool sets. */
  async tune(cluster: string, pool: string, swappiness: string): Promise<void> {
    const name = `${cluster}-${pool}`;
    const profile = `[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=${swappiness}\n`;
    const tuned = {
      apiVersion: "tuned.openshift.io/v1",
      kind: "Tuned",
      metadata: { name: "memory" },
      spec: { profile: [{ name: "memory", data: profile }], recommend: [{ profile: "memory", priority: 20 }] },
    };
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...users },
      data: { tuning: JSON.stringify(tuned) },
    };
    const patch = { type: "apply", object, force: true } as const;
    await this.management.patch(kinds.configMap, name, patch, { ...users, fieldManager: "test" });
  }

  /** Names of nodes of any cluster whose kernel does not have this value. */
  async without(value: string): Promise<string[]> {
    const found = [...this.hosted].flatMap(([cluster, { machines }]) =>
      machines.map(async ({ name, host }) => {
        const file = await host.read("/proc/sys/vm/swappiness");
        return file.type === "text" && file.text.trim() === value ? [] : [`${cluster}/${name}`];
      }),
    );
    return (await Promise.all(found)).flat();
  }

  /** How often NodePools have been decided about. */
  async passes(): Promise<number> {
    const text = await this.metrics.text();
    const rows = text.matchAll(/^controller_runtime_reconcile_total\{([^}]*)\} (\d+)$/gm);
    return [...rows]
      .filter(([, labels]) => labels?.includes('controller="node-pool"'))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  }

  #lab(client: HttpClient, nodes: readonly VirtualNode[]): Promise<void> {
    const { signal } = this.#end;
    return runLab({
      client,
      clientAs: (who) => client.as(who),
      cluster: client.connection.cluster,
      nodes,
      program: programs(client, noLog),
      runAttune: unitPrograms(noLog, signal),
      workloads: {},
      bootMs: 0,
      signal,
    });
  }

  async #stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#parts);
    for (const client of [this.management, ...Array.from(this.hosted.values(), ({ client }) => client)]) client.close();
    for (const server of this.#servers) await server.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

const base = machineBase(smallMachine);

function machinesOf(names: readonly string[], labels: Record<string, string>): VirtualNode[] {
  return names.map(
    (name) =>
      new VirtualNode({ name, topology: smallMachine, base, labels: { "kubernetes.io/os": "linux", ...labels } }),
  );
}

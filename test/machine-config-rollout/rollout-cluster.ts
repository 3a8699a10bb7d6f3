import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CacheEvent, Informer } from "../../src/cluster/kube/cache.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import {
  apiVersion,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { agentDaemonSetName } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { VirtualNode, type VirtualNodeOptions } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { unitPrograms } from "../../src/program/cli/lab/unit-programs.ts";
import type { ClusterFeatures } from "../../src/program/operator/cluster-features.ts";
import type { StartServer } from "../../src/program/cli/testing/test-cluster.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { eventually } from "../node-tuning/eventually.ts";

export interface RolloutOptions {
  /** Names of nodes by the role of their pool. */
  readonly nodes: Readonly<Record<string, readonly string[]>>;
  readonly topology?: Topology;
  /** Default: the embedded API server, in memory. */
  readonly start?: StartServer;
  /** With which kubelets register. */
  readonly taints?: VirtualNodeOptions["taints"];
}

const embedded: StartServer = (dir) => startServer({ dir, storage: "memory" });

/** A server, virtual nodes with their agents, and an operator that a test starts and ends. */
export class RolloutCluster {
  readonly admin: HttpClient;
  readonly machines: ReadonlyMap<string, VirtualNode>;
  readonly nodes: Informer<Node>;
  /** Programs of pods, the agents, start when this is over. */
  agentsMayStart: Promise<void> | undefined;
  readonly #end = new AbortController();
  #operator: { readonly stop: AbortController; readonly done: Promise<void>; readonly client: HttpClient } | undefined;

  private constructor(admin: HttpClient, machines: readonly VirtualNode[]) {
    this.admin = admin;
    this.machines = new Map(machines.map((machine) => [machine.name, machine]));
    this.nodes = createInformer(admin, kinds.node, {});
  }

  /** Ends with the test. */
  static async start({
    nodes,
    topology = smallMachine,
    taints = [],
    start = embedded,
  }: RolloutOptions): Promise<RolloutCluster> {
    const dir = await mkdtemp(join(tmpdir(), "attune-rollout-"));
    const server = await start(dir);
    // All parts share one process: with hundreds of machines an answer takes its time.
    const admin = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }), { timeoutMs: 600_000 });
    const base = machineBase(topology);
    const machines = Object.entries(nodes).flatMap(([role, names]) =>
      names.map((name) => {
        const labels = { [`node-role.kubernetes.io/${role}`]: "" };
        return new VirtualNode({ name, topology, base, labels, taints });
      }),
    );
    await applyManifests(admin, foundation({ mode: "standalone" }));
    const cluster = new RolloutCluster(admin, machines);
    const { signal } = cluster.#end;
    const program = programs(admin, noLog);
    const parts = [
      runLab({
        client: admin,
        clientAs: (who) => admin.as(who),
        cluster: admin.connection.cluster,
        nodes: machines,
        program: async (run) => {
          await cluster.agentsMayStart;
          return program(run);
        },
        runAttune: unitPrograms(noLog, signal),
        workloads: {},
        bootMs: 0,
        signal,
      }),
      cluster.nodes.run(signal),
    ];
    onTestFinished(async () => {
      await cluster.stopOperator();
      cluster.#end.abort();
      await Promise.all(parts);
      admin.close();
      await server.close();
      await rm(dir, { recursive: true, force: true });
    });
    return cluster;
  }

  /** Defaults: what the cluster has, and no proxy before the server. */
  startOperator(features?: ClusterFeatures, connection = this.admin.connection): void {
    const stop = new AbortController();
    // Its own connections, which a kill closes.
    const client = new HttpClient(connection);
    const given = { image: "attune:test", agentServiceAccount, version: "test", leaderElection: false };
    const done = runOperator({ client, signal: stop.signal, features, ...given });
    this.#operator = { stop, done: done.catch(() => {}), client };
  }

  async stopOperator(): Promise<void> {
    const operator = this.#operator;
    this.#operator = undefined;
    operator?.stop.abort();
    await operator?.done;
    operator?.client.close();
  }

  /** Without any of its last words: open requests are cut, later ones fail. */
  async killOperator(): Promise<void> {
    this.#operator?.client.close();
    await this.stopOperator();
  }

  async apply(name: string, role: string, spec: MachineConfig["spec"]): Promise<void> {
    const object = { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: role } }, spec };
    const patch = { type: "apply", object, force: true } as const;
    await this.admin.patch(machineConfigKind, name, patch, { fieldManager: "test" });
  }

  async remove(name: string): Promise<void> {
    await this.admin.delete(machineConfigKind, name);
  }

  /** A pool that inherits the configs of worker. */
  async createPool(name: string, spec: MachineConfigPool["spec"] = {}): Promise<void> {
    await this.admin.create(machineConfigPoolKind, {
      apiVersion,
      kind: "MachineConfigPool",
      metadata: { name, labels: { [`pools.operator.machineconfiguration.openshift.io/${name}`]: "" } },
      spec: {
        machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: "In", values: ["worker", name] }] },
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
        ...spec,
      },
    });
  }

  async pool(name: string): Promise<MachineConfigPool> {
    return this.admin.get(machineConfigPoolKind, name);
  }

  /** Until every node of the pool has the config that is made of exactly these sources. */
  async updated(name: string, sources: readonly string[]): Promise<MachineConfigPool> {
    const wanted = JSON.stringify(sources.toSorted());
    return this.until(`pool ${name} has ${wanted}`, async () => {
      const { spec, status } = await this.pool(name);
      const made = JSON.stringify(spec?.configuration?.source?.map((source) => source.name).toSorted());
      const isUpdated = findCondition(status?.conditions, "Updated")?.status === "True";
      return (
        made === wanted && isUpdated && status?.configuration?.name === spec?.configuration?.name && this.pool(name)
      );
    });
  }

  /** With the state of pools and nodes where it never becomes true. */
  async until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await eventually(what, ask, 600_000);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await this.state()}`, { cause: error });
    }
  }

  async state(): Promise<string> {
    const { items: pools } = await this.admin.list(machineConfigPoolKind);
    const { items: nodes } = await this.admin.list(kinds.node);
    return [
      ...pools.map(({ metadata, spec, status }) => JSON.stringify([metadata.name, spec?.configuration, status])),
      ...nodes.map(({ metadata, spec }) => JSON.stringify([metadata.name, metadata.annotations, spec])),
    ].join("\n");
  }

  machine(name: string): VirtualNode {
    const machine = this.machines.get(name);
    if (!machine) throw new Error(`no machine ${name}`);
    return machine;
  }

  async text(node: string, path: string): Promise<string | undefined> {
    const file = await this.machine(node).host.read(path);
    return file.type === "text" ? file.text : undefined;
  }

  /** Of all files that the kubelet reads. */
  async kubeletConfiguration(node: string): Promise<string> {
    const folder = "/etc/kubernetes/kubelet.conf.d";
    const names = await this.machine(node).host.list(folder);
    const paths = ["/var/lib/kubelet/config.yaml", ...names.map((name) => `${folder}/${name}`)];
    return (await Promise.all(paths.map((path) => this.text(node, path)))).join("\n");
  }

  reboots(): Record<string, number> {
    return Object.fromEntries([...this.machines].map(([name, { reboots }]) => [name, reboots]));
  }

  /** How many agents run. */
  async agents(): Promise<number> {
    const { status } = await this.admin.get(kinds.daemonSet, agentDaemonSetName, { namespace: tuningNamespace });
    return status?.numberReady ?? 0;
  }

  /** Until Nodes have changed so many times more. */
  async events(count: number): Promise<void> {
    let left = count;
    await new Promise<void>((resolve) => {
      const end = this.nodes.subscribe(() => {
        if (--left > 0) return;
        // Not within the call that returns `end`.
        queueMicrotask(() => end());
        resolve();
      });
    });
  }

  /** Called with every change of a Node, in the order of the server. */
  onNode(listener: (event: CacheEvent<Node>) => void): void {
    this.nodes.subscribe(listener);
  }
}

/** As OpenShift counts it: not ready, cordoned, or on its way to another config. */
export function isUnavailable(node: Node): boolean {
  const { current, desired, state } = updateOf(node.metadata);
  const isReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
  return !isReady || node.spec?.unschedulable === true || current !== desired || (desired !== "" && state !== "Done");
}

/** A file of a MachineConfig. */
export function file(path: string, text: string, mode = 0o644): object {
  return { path, mode, overwrite: true, contents: { source: `data:,${encodeURIComponent(text)}` } };
}

export function withFiles(...files: object[]): MachineConfig["spec"] {
  return { config: { ignition: { version: "3.2.0" }, storage: { files } } };
}

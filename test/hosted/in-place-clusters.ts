import { onTestFinished } from "vitest";
import type { Informer } from "../../src/cluster/kube/cache.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { apiVersion, hostedClusterKind, type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import type { Fleet } from "../../src/embedded/lab/kubelet/kubelets.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { runClusterApi, virtualMachineProvider } from "../../src/program/cli/lab/cluster-api/cluster-api.ts";
import { clusterApiCrds } from "../../src/program/cli/lab/cluster-api/crds.ts";
import { ignitionServer } from "../../src/program/cli/lab/cluster-api/user-data.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { unitPrograms } from "../../src/program/cli/lab/unit-programs.ts";
import { hostedManifests } from "../../src/program/management/hosted-manifests.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { isUnavailable } from "../machine-config-rollout/rollout-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { controlPlane, operatorAccount, poolNamespace, type TwoClusters, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };

/** Two clusters with NodePools, virtual nodes with their agents, a Cluster API that makes more, and both sides of Attune. */
export class InPlaceClusters {
  readonly clusters: TwoClusters;
  readonly machines: ReadonlyMap<string, VirtualNode>;
  /** Those of NodePools that replace their machines. */
  readonly replaced = new Map<string, VirtualNode>();
  readonly nodes: Informer<Node>;
  /** The most nodes of a NodePool that were away at the same time. */
  readonly mostAway = new Map<string, number>();
  readonly #end = new AbortController();
  readonly #account: HttpClient;
  #operator:
    | { readonly stop: AbortController; readonly done: Promise<void>; readonly clients: HttpClient[] }
    | undefined;

  private constructor(clusters: TwoClusters, account: HttpClient, machines: readonly VirtualNode[]) {
    this.clusters = clusters;
    this.#account = account;
    this.machines = new Map(machines.map((machine) => [machine.name, machine]));
    this.nodes = createInformer(clusters.hosted.client, kinds.node, {});
  }

  /** Ends with the test. `nodePools`: names of nodes by NodePool. */
  static async start(nodePools: Readonly<Record<string, readonly string[]>>): Promise<InPlaceClusters> {
    const clusters = await twoClusters();
    const base = machineBase(smallMachine);
    const machines = Object.entries(nodePools).flatMap(([nodePool, names]) =>
      names.map((name) => {
        const labels = { "kubernetes.io/os": "linux", [keys.nodePool]: nodePool };
        return new VirtualNode({ name, topology: smallMachine, base, labels });
      }),
    );
    const world = new InPlaceClusters(clusters, await operatorAccount(clusters.hosted), machines);
    const { hosted, management } = clusters;
    const { signal } = world.#end;
    await applyManifests(hosted.client, hostedManifests("documented"));
    await applyManifests(management.client, clusterApiCrds);
    await management.client.create(
      hostedClusterKind,
      {
        apiVersion,
        kind: "HostedCluster",
        metadata: { name: "demo", ...users },
        spec: {},
      },
      users,
    );
    const reported = { status: { ignitionEndpoint: "ignition.example" } };
    await management.client.patch(
      hostedClusterKind,
      "demo",
      { type: "merge", patch: reported },
      { ...users, subresource: "status" },
    );
    let started = (_: Fleet): void => {};
    const fleet = new Promise<Fleet>((resolve) => (started = resolve));
    const parts = [
      runManagement({
        client: management.client,
        provider: virtualMachineProvider,
        signal,
        image: "attune:test",
        leaderElection: false,
      }),
      runLab({
        client: hosted.client,
        clientAs: (who) => hosted.client.as(who),
        cluster: hosted.client.connection.cluster,
        nodes: machines,
        program: programs(hosted.client, noLog),
        runAttune: unitPrograms(noLog, signal, ignitionServer(management.client, controlPlane)),
        workloads: {},
        bootMs: 0,
        onFleet: started,
        signal,
      }),
      runClusterApi({
        client: management.client,
        hosted: hosted.client,
        namespace: controlPlane,
        fleet: await fleet,
        running: world.replaced,
        admit: () => Promise.resolve(),
        signal,
        log: noLog,
      }),
      world.nodes.run(signal),
    ];
    world.nodes.subscribe(() => world.#count());
    onTestFinished(async () => {
      await world.killOperator();
      world.#end.abort();
      await Promise.all(parts);
      await clusters.close();
    });
    return world;
  }

  #count(): void {
    const away = new Map<string, number>();
    for (const node of this.nodes.list())
      if (isUnavailable(node)) {
        const nodePool = node.metadata.labels?.[keys.nodePool] ?? "";
        away.set(nodePool, (away.get(nodePool) ?? 0) + 1);
      }
    for (const [nodePool, count] of away)
      this.mostAway.set(nodePool, Math.max(count, this.mostAway.get(nodePool) ?? 0));
  }

  async createNodePool(name: string, spec: Partial<NodePool["spec"]> = {}): Promise<void> {
    const wanted = { clusterName: "demo", release: { image: "release:4.22.0" }, ...spec };
    await this.clusters.management.client.create(
      nodePoolKind,
      { apiVersion, kind: "NodePool", metadata: { name, ...users }, spec: wanted },
      users,
    );
  }

  /** A ConfigMap with an object of this name, which is a MachineConfig by default, and the NodePool that refers to it. */
  async configure(
    nodePool: string,
    name: string,
    spec: object,
    kind: Pick<KubeObject, "apiVersion" | "kind"> = machineConfigKind,
  ): Promise<void> {
    const { client } = this.clusters.management;
    const config = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, spec };
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...users },
      data: { config: writeYaml(config) },
    };
    await client.patch(
      kinds.configMap,
      name,
      { type: "apply", object, force: true },
      { ...users, fieldManager: "test" },
    );
    await client.patch(nodePoolKind, nodePool, { type: "merge", patch: { spec: { config: [{ name }] } } }, users);
  }

  async nodePool(name: string): Promise<NodePool> {
    return this.clusters.management.client.get(nodePoolKind, name, users);
  }

  /** Until all nodes have another configuration than this one; its hash. */
  async finished(nodePool: string, before = ""): Promise<string> {
    return this.until(`NodePool ${nodePool} is updated`, async () => {
      const { metadata, status } = await this.nodePool(nodePool);
      const hash = metadata.annotations?.["hypershift.openshift.io/nodePoolCurrentConfigVersion"];
      const isUpdating = findCondition(status?.conditions, "UpdatingConfig")?.status !== "False";
      return hash !== before && !isUpdating && hash;
    });
  }

  async until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await eventually(what, ask, 120_000);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await this.#state()}`, { cause: error });
    }
  }

  async #state(): Promise<string> {
    const { hosted, management } = this.clusters;
    const { items: nodePools } = await management.client.list(nodePoolKind);
    const { items: configMaps } = await management.client.list(kinds.configMap, { namespace: controlPlane });
    const { items: pools } = await hosted.client.list(machineConfigPoolKind);
    const { items: nodes } = await hosted.client.list(kinds.node);
    return [
      ...nodePools.map(({ metadata, status }) => [metadata.name, metadata.annotations, status]),
      ...configMaps.map(({ metadata, data = {} }) => [metadata.name, { ...data, payload: data["payload"]?.length }]),
      ...pools.map(({ metadata, spec, status }) => [metadata.name, metadata.annotations, spec, status]),
      ...nodes.map(({ metadata, spec }) => [metadata.name, metadata.labels, metadata.annotations, spec]),
    ]
      .map((line) => JSON.stringify(line))
      .join("\n");
  }

  /** Of the hosted cluster, with an account that has the rights of the table only. */
  startOperator(): void {
    const stop = new AbortController();
    // Its own connections, which a kill closes.
    const [client, management] = [this.#account, this.clusters.management.client].map(
      ({ connection }) => new HttpClient(connection),
    ) as [HttpClient, HttpClient];
    const done = runOperator({
      client,
      controlPlane: { client: management, namespace: controlPlane },
      image: "attune:test",
      agentServiceAccount,
      version: "test",
      release: "4.22.0",
      leaderElection: false,
      signal: stop.signal,
    });
    this.#operator = { stop, done: done.catch(() => {}), clients: [client, management] };
  }

  /** Without any of its last words: open requests are cut, later ones fail. */
  async killOperator(): Promise<void> {
    const operator = this.#operator;
    this.#operator = undefined;
    operator?.clients.forEach((client) => client.close());
    operator?.stop.abort();
    await operator?.done;
  }

  /** Until Nodes have changed so many times more. */
  async events(count: number): Promise<void> {
    let left = count;
    await new Promise<void>((resolve) => {
      const end = this.nodes.subscribe(() => {
        if (--left > 0) return;
        queueMicrotask(() => end());
        resolve();
      });
    });
  }

  reboots(): Record<string, number> {
    return Object.fromEntries([...this.machines].map(([name, { reboots }]) => [name, reboots]));
  }

  async text(node: string, path: string): Promise<string | undefined> {
    const file = await (this.machines.get(node) ?? this.replaced.get(node))?.host.read(path);
    return file?.type === "text" ? file.text : undefined;
  }
}

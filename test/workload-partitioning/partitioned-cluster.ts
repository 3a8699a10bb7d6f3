import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { type Log, noLog } from "../../src/cluster/runtime/log/log.ts";
import {
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../../src/domain/machine-config/api.ts";
import {
  apiVersion as profileVersion,
  type PerformanceProfile,
  performanceProfileKind,
} from "../../src/domain/performance-profile/api.ts";
import { allowedAnnotation, coresOf, targetPrefix } from "../../src/domain/workload-partitioning/names.ts";
import type { ReleaseName } from "../../src/domain/workload-partitioning/release.ts";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { groupPath } from "../../src/embedded/lab/crio/control-groups.ts";
import { containerId } from "../../src/embedded/lab/kubelet/container/container-id.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { machineBase } from "../../src/embedded/lab/machine-base.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import type { KindRef, KubeObject } from "../../src/language/object/meta.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation, kindsOf } from "../../src/program/cli/install/manifests.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { firstBoots } from "../../src/program/cli/lab/first-boots.ts";
import { featuresOf } from "../../src/program/cli/operator/run-operator.ts";
import { accountOf, adminOf } from "../../src/program/cli/up/cluster-access.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { identify, namespaceWith } from "./identify.ts";

export const cores = coresOf("management");
export const target = `${targetPrefix}management`;
export const namespace = "platform";

/** A machine, and the pool whose config it boots with; undefined: it starts as it is. */
export interface MachineOptions {
  readonly name: string;
  readonly roles: readonly string[];
  readonly topology: Topology;
  readonly firstBoot?: boolean;
}

export interface PartitionedOptions {
  readonly mode: "standalone" | "plain";
  readonly status: { readonly cpuPartitioning: string; readonly controlPlaneTopology?: string };
  readonly machines: readonly MachineOptions[];
  /** Whose rules the webhook follows. Default documented. */
  readonly release?: ReleaseName;
  /** Objects of the installation, which exist before any node does. */
  readonly manifests?: readonly KubeObject[];
}

const ofManifests: readonly KindRef[] = [performanceProfileKind, machineConfigKind, kinds.daemonSet];

/** A cluster that is installed with partitioning: server, operator, webhook, and machines that join. */
export class PartitionedCluster {
  readonly admin: HttpClient;
  readonly machines: ReadonlyMap<string, VirtualNode>;

  /** What failed in the lab, such as kubelets that could not register. */
  readonly errors: string[] = [];

  readonly restartOperator: () => Promise<void>;

  private constructor(admin: HttpClient, machines: readonly VirtualNode[], restartOperator: () => Promise<void>) {
    this.admin = admin;
    this.restartOperator = restartOperator;
    this.machines = new Map(machines.map((machine) => [machine.name, machine]));
  }

  /** Ends with the test. */
  static async start(options: PartitionedOptions): Promise<PartitionedCluster> {
    const { mode, status, machines, release, manifests = [] } = options;
    const dir = await mkdtemp(join(tmpdir(), "attune-partitioned-"));
    const server = await startServer({ dir, storage: "memory" });
    const admin = adminOf(server);
    await identify(admin, mode, status);
    await applyManifests(admin, foundation({ mode, firstBoot: "https://127.0.0.1" }));
    await admin.create(kinds.namespace, namespaceWith(namespace, { [allowedAnnotation]: "management" }));
    for (const object of manifests)
      await admin.create(
        ofManifests.find(({ kind }) => kind === object.kind)!,
        object,
      );
    const end = new AbortController();
    const { signal } = end;
    const operator = await accountOf(server, admin, operatorServiceAccount);
    const webhook = await accountOf(server, admin, webhookServiceAccount);
    const { handlers, cluster: view } = attuneHandlers(webhook, {
      namespace: systemNamespace,
      partitioningRelease: release,
      ...kindsOf(mode),
    });
    let served = (): void => {};
    let booted = (): void => {};
    const isServed = new Promise<void>((resolve) => (served = resolve));
    const canBoot = new Promise<void>((resolve) => (booted = resolve));
    const features = await featuresOf(mode, operator, signal);
    const operatorRun = { stop: new AbortController(), done: Promise.resolve() };
    const startOperator = (): void => {
      operatorRun.stop = new AbortController();
      operatorRun.done = runOperator({
        client: operator,
        image: "attune:test",
        agentServiceAccount,
        version: "test",
        leaderElection: false,
        features,
        firstBoot: { address: "127.0.0.1:0", onReady: () => booted() },
        signal: operatorRun.stop.signal,
      });
    };
    startOperator();
    const parts = [
      runWebhook({
        client: webhook,
        handlers,
        cluster: view,
        host: "127.0.0.1",
        port: 0,
        target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
        secret: { namespace: systemNamespace, name: webhookSecret },
        onReady: () => served(),
        signal,
      }),
    ];
    await Promise.all([isServed, canBoot]);
    const nodes = machines.map(({ name, roles, topology }) => {
      const labels = Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""]));
      return new VirtualNode({ name, topology, base: machineBase(topology), labels });
    });
    const stopOperator = (): Promise<void> => (operatorRun.stop.abort(), operatorRun.done);
    const restartOperator = (): Promise<void> => stopOperator().then(startOperator);
    const cluster = new PartitionedCluster(admin, nodes, restartOperator);
    const log: Log = { ...noLog, error: ({ error }) => void cluster.errors.push(String(error)), child: () => log };
    const booting = (pool: string): ReturnType<typeof firstBoots> =>
      firstBoots({ client: admin, pool, signal, log: noLog });
    parts.push(
      runLab({
        client: admin,
        clientAs: (who) => admin.as(who),
        cluster: admin.connection.cluster,
        nodes,
        program: programs(admin, noLog),
        runAttune: booting("worker").runAttune,
        async prepare(node) {
          const { roles = [], firstBoot = true } = machines.find(({ name }) => name === node.name) ?? {};
          if (firstBoot) await booting(roles[0] ?? "worker").prepare?.(node);
        },
        workloads: {},
        bootMs: 0,
        signal,
        log,
      }),
    );
    onTestFinished(async () => {
      end.abort();
      await Promise.all([...parts, stopOperator()]);
      for (const client of [operator, webhook, admin]) client.close();
      await server.close();
      await rm(dir, { recursive: true, force: true });
    });
    return cluster;
  }

  machine(name: string): VirtualNode {
    const machine = this.machines.get(name);
    if (!machine) throw new Error(`no machine ${name}`);
    return machine;
  }

  async until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await eventually(what, ask, 90_000);
    } catch (error) {
      const { items } = await this.admin.list(kinds.node);
      const { items: pools } = await this.admin.list(machineConfigPoolKind);
      const { items: profiles } = await this.admin.list(performanceProfileKind);
      const states = [
        ...profiles.map(({ metadata, status }) => [metadata.name, status?.conditions]),
        ...items.map(({ metadata, spec, status }) => [metadata.name, metadata.annotations, spec, status?.capacity]),
        ...pools.map(({ metadata, spec, status }) => [metadata.name, spec?.configuration, status?.conditions]),
      ];
      throw new Error(`${(error as Error).message}\n${states.map((one) => JSON.stringify(one)).join("\n")}`, {
        cause: error,
      });
    }
  }

  async node(name: string): Promise<Node | undefined> {
    return (await this.admin.list(kinds.node)).items.find(({ metadata }) => metadata.name === name);
  }

  /** Until the node advertises this many cores. */
  async hasCores(name: string, amount: string): Promise<Node> {
    return this.until(`${name} has ${amount} cores`, async () => {
      const node = await this.node(name);
      const { capacity, allocatable } = node?.status ?? {};
      return capacity?.[cores] === amount && allocatable?.[cores] === amount && node;
    });
  }

  /** Until the pool is rolled out with exactly these sources, its machines rebooted and ready. */
  async updated(pool: string, isWanted: (sources: readonly string[]) => boolean): Promise<MachineConfigPool> {
    return this.until(`pool ${pool} is updated`, async () => {
      const found = await this.admin.get(machineConfigPoolKind, pool);
      const { spec, status } = found;
      const sources = spec?.configuration?.source?.map(({ name }) => name ?? "") ?? [];
      const isUpdated = findCondition(status?.conditions, "Updated")?.status === "True";
      return isWanted(sources) && isUpdated && status?.configuration?.name === spec?.configuration?.name && found;
    });
  }

  /** Creates a pod of the platform that the scheduler places, on this node if one is named, and waits until it runs. */
  async run(
    name: string,
    {
      annotations = { [target]: '{"effect": "PreferredDuringScheduling"}' },
      node,
      resources,
      of = namespace,
    }: PodOptions = {},
  ): Promise<Pod> {
    await this.admin.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: of, annotations },
      spec: {
        ...(node === undefined ? {} : { nodeSelector: { "kubernetes.io/hostname": node } }),
        tolerations: [{ operator: "Exists" }],
        containers: [
          {
            name: "main",
            image: "example.com/x:1",
            resources: resources ?? { requests: { cpu: "100m", memory: "50Mi" } },
          },
        ],
      },
    });
    return this.running(name, of);
  }

  async running(name: string, of = namespace): Promise<Pod> {
    return this.until(`pod ${name} runs`, async () => {
      const pod = await this.admin.get(kinds.pod, name, { namespace: of });
      return pod.status?.phase === "Running" && pod;
    });
  }

  /** A file of the control group of a container: by default its CPUs. */
  async group(pod: Pod, file = "cpuset.cpus", container = "main"): Promise<string | undefined> {
    const uid = pod.metadata.uid ?? "";
    const restarts = pod.status?.containerStatuses?.find(({ name }) => name === container)?.restartCount ?? 0;
    const qos = pod.status?.qosClass as "Burstable";
    const path = groupPath({
      podUid: uid,
      qos,
      containerId: containerId(uid, container, restarts),
      runtime: "cri-o",
    });
    const read = await this.machine(pod.spec?.nodeName ?? "").host.read(`${path}/${file}`);
    return read.type === "text" ? read.text.trim() : undefined;
  }
}

export interface PodOptions {
  readonly annotations?: Record<string, string>;
  readonly node?: string;
  readonly resources?: object;
  readonly of?: string;
}

export function profile(role: string, cpu: { reserved: string; isolated: string }): PerformanceProfile {
  return {
    apiVersion: profileVersion,
    kind: "PerformanceProfile",
    metadata: { name: `for-${role}` },
    spec: { cpu, nodeSelector: { [`node-role.kubernetes.io/${role}`]: "" } },
  };
}

import { agentServiceAccount } from "../../agent/rbac.ts";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import type { MemoryHost } from "../../../node/host/memory-host.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { profileKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { statusOf } from "../install/partitioning.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { labRbac, labServiceAccount } from "../../../embedded/lab/rbac.ts";
import { runLab } from "../../../embedded/lab/run-lab.ts";
import { controllerAccounts } from "../../../embedded/lab/workloads/workload-components.ts";
import {
  customPool,
  exampleLabels,
  examplePerformanceProfile,
  examplePool,
  exampleText,
  exampleTuned,
} from "./worked-example.ts";
import { runOperator } from "../../operator/operator.ts";
import { operatorServiceAccount } from "../../operator/rbac.ts";
import { systemNamespace } from "../../operator/names.ts";
import { attuneHandlers } from "../../webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../webhook/rbac.ts";
import { runWebhook } from "../../webhook/webhook.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { foundation, kindsOf } from "../install/manifests.ts";
import { featuresOf } from "../operator/run-operator.ts";
import { programs } from "../lab/container-programs.ts";
import { defaultImage, version } from "../../version.ts";
import { firstBoots } from "../lab/first-boots.ts";
import { smallNodes } from "../lab/virtual-nodes.ts";
import { accountOf, adminOf, createMissing } from "./cluster-access.ts";
import { readCluster } from "./convergence.ts";
import { type Stage, type StageOptions, toTry } from "./stage.ts";

export interface SystemOptions extends StageOptions {
  readonly mode: "standalone" | "plain";
  readonly machines: readonly VirtualNode[];
  /** Names of the pools that the machines are for, besides those that every cluster has. */
  readonly pools?: readonly string[] | undefined;
  /** What the system has besides. */
  readonly with?: "partitioning" | "scylla" | undefined;
}

export interface OneClusterExample {
  readonly with?: "partitioning" | "scylla" | undefined;
  readonly objects: readonly KubeObject[];
  readonly text: readonly string[];
}

/** Nodes with the smallest hardware, and the labels that the example of the mode goes by. */
export function workedNodes(count: number, mode: SystemOptions["mode"]): VirtualNode[] {
  return smallNodes(count, "node-", (name) => exampleLabels(name, mode));
}

export interface System {
  readonly server: ApiServer;
  /** The only client with the rights of an admin. */
  readonly admin: HttpClient;
  readonly hosts: ReadonlyMap<string, MemoryHost>;
  /** Rejects when a part fails; resolves when all have stopped. */
  readonly stopped: Promise<void>;
}

/** One cluster, whose users write Tuneds and, where Attune rolls pools out, PerformanceProfiles. */
export async function oneCluster({
  example,
  ...options
}: Omit<SystemOptions, "with"> & { readonly example?: OneClusterExample | undefined }): Promise<Stage> {
  const { mode, machines, signal } = options;
  const { server, admin, hosts, stopped } = await startSystem({ ...options, with: example?.with });
  for (const pool of options.pools ?? []) await createMissing(admin, machineConfigPoolKind, customPool(pool));
  const rollsOut = mode === "plain";
  const hasPool = rollsOut && hosts.size > 1;
  const { objects, text } = example ?? { objects: workedObjects(hasPool), text: exampleText(hasPool) };
  const profiles = createInformer(admin, profileKind, { namespace: tuningNamespace });
  return {
    heading: [
      { title: "server", text: server.url },
      { title: "kubeconfig", text: server.kubeconfig },
      ...toTry(server.kubeconfig, [
        "attune status",
        `attune explain node ${machines[0]?.name ?? "NAME"}`,
        `kubectl get nodes,profiles${rollsOut ? ",mcp,performanceprofiles" : ""} -A`,
      ]),
    ],
    clusters: [{ name: mode, client: admin }],
    nodes: hosts.size,
    async createExample() {
      const served = new Discovery(admin);
      for (const object of objects) {
        const kind = await served.kind(object.apiVersion, object.kind, { signal });
        if (!kind) throw new Error(`create the example: the cluster has no ${object.kind} of ${object.apiVersion}`);
        await createMissing(admin, kind, object);
      }
    },
    example: text.map((line, at) => `${(at === 0 ? "example" : "").padEnd(12)}${line}`),
    read: () => readCluster({ client: admin, hosts, signal, rollsOut }),
    watched: rollsOut ? [profiles, createInformer(admin, machineConfigPoolKind)] : [profiles],
    stopped,
  };
}

function workedObjects(hasPool: boolean): KubeObject[] {
  return [exampleTuned(), ...(hasPool ? [examplePool(), examplePerformanceProfile()] : [])];
}

/**
 * The whole system in one process: API server, virtual nodes, scheduler and controllers, operator, webhook, and the agents,
 * which are pods of the operator's DaemonSet. The parts talk over loopback HTTPS only. Each has the token of its own
 * ServiceAccount or the identity of its node, so that every start tests the RBAC rules.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { dir, port, log } = options;
  const server = await startServer({ dir, port, log: log.child({ part: "apiserver" }) });
  try {
    const admin = adminOf(server);
    const { machines: nodes, mode, with: besides } = options;
    const lab = {
      nodes: nodes.map(({ name }) => name),
      users: ["system:kube-controller-manager", "system:kube-scheduler"],
      serviceAccounts: controllerAccounts,
    };
    // What `attune install` applies, without the Deployments: this process runs their programs.
    await applyManifests(
      admin,
      [
        ...foundation({
          mode,
          firstBoot: mode === "plain" ? loopback : undefined,
          partitioning: besides === "partitioning" ? statusOf("AllNodes") : undefined,
          scylla: besides === "scylla",
        }),
        ...labRbac(systemNamespace, lab),
      ],
      options.signal,
    );
    return { server, admin, ...(await startParts(server, admin, nodes, options)) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function startParts(
  server: ApiServer,
  admin: Client,
  nodes: readonly VirtualNode[],
  { signal, log, mode, with: besides }: SystemOptions,
): Promise<Pick<System, "hosts" | "stopped">> {
  const tokenClient = (account: string): Promise<HttpClient> => accountOf(server, admin, account);
  const [operator, webhook, lab] = await Promise.all([
    tokenClient(operatorServiceAccount),
    tokenClient(webhookServiceAccount),
    tokenClient(labServiceAccount),
  ]);
  const hosts = new Map(nodes.map(({ name, host }) => [name, host]));
  const clientAs = (who: Impersonation): Client => lab.as(who);
  const features = mode === "plain" ? await featuresOf(mode, operator, signal) : undefined;
  let onReady = (): void => {};
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  const parts = [
    runOperator({
      client: operator,
      image: defaultImage,
      agentServiceAccount,
      version,
      features,
      firstBoot: mode === "plain" ? { address: "127.0.0.1:0", onReady } : undefined,
      signal,
      log: log.child({ part: "operator" }),
    }),
    runWebhook({
      client: webhook,
      ...attuneHandlers(webhook, {
        namespace: systemNamespace,
        log: log.child({ part: "webhook" }),
        ...kindsOf(mode),
        scyllaGateImage: besides === "scylla" ? defaultImage : undefined,
      }),
      host: "127.0.0.1",
      port: 0,
      target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
      secret: { namespace: systemNamespace, name: webhookSecret },
      signal,
      log: log.child({ part: "webhook" }),
    }),
    runLab({
      client: lab,
      clientAs,
      cluster: lab.connection.cluster,
      nodes,
      program: programs(lab, log),
      ...(mode === "plain" ? firstBoots({ client: admin, pool: "worker", ready, signal, log }) : {}),
      // The directory is locked, so a previous holder of the lease is gone. With a fixed identity the lease is taken at once.
      workloads: { identity: "attune-up" },
      signal,
      log: log.child({ part: "lab" }),
    }),
  ];
  return { hosts, stopped: Promise.all(parts).then(() => server.close()) };
}

/** The operator publishes the port that it gets. */
const loopback = "https://127.0.0.1";

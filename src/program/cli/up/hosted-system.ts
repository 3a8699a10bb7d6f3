import { join } from "node:path";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { controlPlaneNamespace, hostedClusterKind, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { adminKubeconfig, type KubeconfigInput, writeKubeconfig } from "../../../embedded/apiserver/auth/kubeconfig.ts";
import { type ApiServer, startServer } from "../../../embedded/apiserver/server.ts";
import type { Fleet } from "../../../embedded/lab/kubelet/kubelets.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import type { Machine } from "../../../embedded/lab/machine.ts";
import { labRbac, labServiceAccount } from "../../../embedded/lab/rbac.ts";
import { runLab } from "../../../embedded/lab/run-lab.ts";
import { controllerAccounts } from "../../../embedded/lab/workloads/workload-components.ts";
import { namespaceObject } from "../../../language/object/confinement.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { serialQueue } from "../../../node/host/serial-queue.ts";
import type { FetchPayload } from "../../../node/on-node/first-boot/fetch-payload.ts";
import { runManagement } from "../../management/management.ts";
import { managementServiceAccount } from "../../management/names.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { managementFoundation } from "../install/manifests.ts";
import { runClusterApi, virtualMachineProvider } from "../lab/cluster-api/cluster-api.ts";
import { clusterApiCrds } from "../lab/cluster-api/crds.ts";
import { ignitionServer } from "../lab/cluster-api/user-data.ts";
import { programs } from "../lab/container-programs.ts";
import { unitPrograms } from "../lab/unit-programs.ts";
import { smallNodes } from "../lab/virtual-nodes.ts";
import { defaultImage } from "../../version.ts";
import { accountOf, adminOf, createMissing } from "./cluster-access.ts";
import {
  clustersNamespace,
  exampleHostedCluster,
  exampleKubeconfig,
  exampleStatus,
  hostedClusterName,
  type HostedExample,
} from "./hosted-example.ts";
import { readHosted } from "./hosted-outcome.ts";
import { type Stage, type StageOptions, toTry } from "./stage.ts";

/** One of the two clusters: an API server and virtual nodes with scheduler and controllers. */
interface Cluster {
  readonly server: ApiServer;
  readonly admin: HttpClient;
  readonly nodes: readonly VirtualNode[];
  /** Those that come and go. */
  readonly machines: Map<string, VirtualNode>;
  readonly fleet: Promise<Fleet>;
  /** Lets the lab act as the kubelet of another machine. */
  readonly admit: (node: string) => Promise<void>;
  /** Rejects when the nodes fail; resolves when they have stopped. */
  readonly stopped: Promise<void>;
}

interface ClusterParts {
  readonly manifests: readonly KubeObject[];
  readonly nodes: readonly VirtualNode[];
  /** Answers machines before they are nodes. */
  readonly fetch?: FetchPayload;
}

interface HostedOptions extends StageOptions {
  readonly example: HostedExample;
}

const controlPlane = controlPlaneNamespace(clustersNamespace, hostedClusterName);

/**
 * A management cluster and a hosted one, in one process. The management side runs here; it installs the operator of the hosted
 * cluster, which runs as a pod on a node of the management cluster; agents run on nodes of the hosted one.
 */
export async function twoClusters(options: HostedOptions): Promise<Stage> {
  const { dir, port, signal, log } = options;
  const servers: ApiServer[] = [];
  const start = async (name: string, at: number): Promise<ApiServer> => {
    const server = await startServer({ dir: join(dir, name), port: at, log: log.child({ part: `${name} apiserver` }) });
    servers.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    for (const server of servers) await server.close();
  };
  try {
    const first = await start("management", port);
    const second = await start("hosted", port === 0 ? 0 : port + 1);
    const kubeconfig = join(dir, "kubeconfig");
    await writeKubeconfig(kubeconfig, accessTo(first, "management", clustersNamespace), accessTo(second, "hosted"));
    const own = [namespaceObject(systemNamespace, "restricted")];
    const admin = adminOf(first);
    const nodes = options.example.machines;
    const fetch = ignitionServer(admin, controlPlane);
    const hosted = await runCluster(second, { manifests: own, nodes, fetch }, options);
    const needed = [
      ...managementFoundation(),
      ...clusterApiCrds,
      namespaceObject(clustersNamespace, "restricted"),
      // The API servers of an earlier start had other ports.
      exampleKubeconfig(adminKubeconfig(accessTo(second, "hosted"))),
    ];
    const management = await runCluster(first, { manifests: needed, nodes: smallNodes(1, "management-") }, options);
    const side = runManagement({
      client: await accountOf(first, management.admin, managementServiceAccount),
      image: defaultImage,
      provider: virtualMachineProvider,
      signal,
      log: log.child({ part: "management" }),
    });
    const machines = runClusterApi({
      // Cluster API is no part of Attune, and has rights of its own.
      client: admin,
      hosted: hosted.admin,
      namespace: controlPlane,
      fleet: await hosted.fleet,
      running: hosted.machines,
      admit: hosted.admit,
      signal,
      log: log.child({ part: "machines" }),
    });
    return stageOf(
      { management, hosted, kubeconfig },
      options,
      allOf([side, machines, management.stopped, hosted.stopped], close),
    );
  } catch (error) {
    await close();
    throw error;
  }
}

async function allOf(parts: readonly Promise<void>[], close: () => Promise<void>): Promise<void> {
  await Promise.all(parts);
  await close();
}

function accessTo({ url, authority }: ApiServer, name: string, namespace?: string): KubeconfigInput {
  const { caPem, adminToken: token } = authority;
  return { server: url, caPem, token, name, ...(namespace === undefined ? {} : { namespace }) };
}

async function runCluster(
  server: ApiServer,
  { manifests, nodes, fetch }: ClusterParts,
  { signal, log }: StageOptions,
): Promise<Cluster> {
  const admin = adminOf(server);
  const names = nodes.map(({ name }) => name);
  const rights = (): KubeObject[] => labRbac(systemNamespace, { ...otherIdentities, nodes: names });
  await applyManifests(admin, [...manifests, ...rights()], signal);
  const lab = await accountOf(server, admin, labServiceAccount);
  const exclusive = serialQueue();
  let started = (_: Fleet): void => {};
  const fleet = new Promise<Fleet>((resolve) => (started = resolve));
  const stopped = runLab({
    client: lab,
    clientAs: (who: Impersonation): Client => lab.as(who),
    cluster: lab.connection.cluster,
    nodes,
    program: programs(lab, log),
    runAttune: unitPrograms(log, signal, fetch),
    // The directory is locked, so a previous holder of the lease is gone. With a fixed identity the lease is taken at once.
    workloads: { identity: "attune-up" },
    onFleet: started,
    signal,
    log: log.child({ part: "lab" }),
  });
  const admit = (node: string): Promise<void> =>
    exclusive(async () => {
      if (!names.includes(node)) names.push(node);
      await applyManifests(admin, rights(), signal);
    });
  return { server, admin, nodes, machines: new Map(), fleet, admit, stopped };
}

const otherIdentities = {
  users: ["system:kube-controller-manager", "system:kube-scheduler"],
  serviceAccounts: controllerAccounts,
};

interface Clusters {
  readonly management: Cluster;
  readonly hosted: Cluster;
  readonly kubeconfig: string;
}

function stageOf(
  { management, hosted, kubeconfig }: Clusters,
  { signal, example }: HostedOptions,
  stopped: Promise<void>,
): Stage {
  const hosts = (): Map<string, Machine> =>
    new Map([...hosted.nodes, ...hosted.machines.values()].map(({ name, host }) => [name, host]));
  const count = hosted.nodes.length;
  return {
    heading: [
      { title: "management", text: management.server.url },
      { title: "hosted", text: hosted.server.url },
      { title: "kubeconfig", text: kubeconfig },
      ...toTry(kubeconfig, [
        "attune status",
        `attune explain node ${hosted.nodes[0]?.name ?? "NAME"} --context hosted`,
        "kubectl --context management get nodepools,configmaps -A",
        "kubectl --context hosted get nodes,tuneds,profiles -A",
      ]),
    ],
    clusters: [
      { name: "hosted", client: hosted.admin },
      { name: "management", client: management.admin },
    ],
    nodes: count,
    async createExample() {
      await createMissing(management.admin, hostedClusterKind, exampleHostedCluster());
      const place = { namespace: clustersNamespace, subresource: "status" };
      await management.admin.patch(
        hostedClusterKind,
        hostedClusterName,
        { type: "merge", patch: exampleStatus },
        place,
      );
      for (const configMap of example.configMaps) await createMissing(management.admin, kinds.configMap, configMap);
      for (const nodePool of example.nodePools) await createMissing(management.admin, nodePoolKind, nodePool);
    },
    example: example.text,
    read: () => readHosted({ management: management.admin, hosted: hosted.admin, hosts: hosts(), signal }),
    watched: [
      createInformer(management.admin, nodePoolKind, { namespace: clustersNamespace }),
      createInformer(hosted.admin, kinds.node),
    ],
    stopped,
  };
}

import { join } from "node:path";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { hostedClusterKind, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { adminKubeconfig, type KubeconfigInput, writeKubeconfig } from "../../../embedded/apiserver/auth/kubeconfig.ts";
import { type ApiServer, startServer } from "../../../embedded/apiserver/server.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { labRbac, labServiceAccount } from "../../../embedded/lab/rbac.ts";
import { runLab } from "../../../embedded/lab/run-lab.ts";
import { controllerAccounts } from "../../../embedded/lab/workloads/workload-components.ts";
import { namespaceObject } from "../../../language/object/confinement.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { runManagement } from "../../management/management.ts";
import { managementServiceAccount } from "../../management/names.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { managementFoundation } from "../install/manifests.ts";
import { programs } from "../lab/container-programs.ts";
import { unitPrograms } from "../lab/unit-programs.ts";
import { smallNodes } from "../lab/virtual-nodes.ts";
import { shellWord } from "../terminal/terminal.ts";
import { defaultImage } from "../version.ts";
import { accountOf, adminOf, createMissing } from "./cluster-access.ts";
import {
  clustersNamespace,
  exampleHostedCluster,
  exampleKubeconfig,
  exampleNodePools,
  hostedExampleText,
  hostedLabels,
} from "./hosted-example.ts";
import { readHosted } from "./hosted-outcome.ts";
import type { Stage, StageOptions } from "./stage.ts";

/** One of the two clusters: an API server and virtual nodes with scheduler and controllers. */
interface Cluster {
  readonly server: ApiServer;
  readonly admin: Client;
  readonly nodes: readonly VirtualNode[];
  /** Rejects when the nodes fail; resolves when they have stopped. */
  readonly stopped: Promise<void>;
}

/**
 * A management cluster and a hosted one, in one process. The management side runs here; it installs the operator of the hosted
 * cluster, which runs as a pod on a node of the management cluster; agents run on nodes of the hosted one.
 */
export async function twoClusters(options: StageOptions): Promise<Stage> {
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
    const hosted = await runCluster(second, own, smallNodes(options.nodes, "node-", hostedLabels), options);
    const needed = [
      ...managementFoundation(),
      namespaceObject(clustersNamespace, "restricted"),
      // The API servers of an earlier start had other ports.
      exampleKubeconfig(adminKubeconfig(accessTo(second, "hosted"))),
    ];
    const management = await runCluster(first, needed, smallNodes(1, "management-"), options);
    const side = runManagement({
      client: await accountOf(first, management.admin, managementServiceAccount),
      image: defaultImage,
      signal,
      log: log.child({ part: "management" }),
    });
    return stageOf(
      { management, hosted, kubeconfig },
      options,
      allOf([side, management.stopped, hosted.stopped], close),
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
  manifests: readonly KubeObject[],
  nodes: readonly VirtualNode[],
  { signal, log }: StageOptions,
): Promise<Cluster> {
  const admin = adminOf(server);
  const identities = {
    nodes: nodes.map(({ name }) => name),
    users: ["system:kube-controller-manager", "system:kube-scheduler"],
    serviceAccounts: controllerAccounts,
  };
  await applyManifests(admin, [...manifests, ...labRbac(systemNamespace, identities)], signal);
  const lab = await accountOf(server, admin, labServiceAccount);
  const stopped = runLab({
    client: lab,
    clientAs: (who: Impersonation): Client => lab.as(who),
    cluster: lab.connection.cluster,
    nodes,
    program: programs(lab, log),
    runAttune: unitPrograms(log, signal),
    // The directory is locked, so a previous holder of the lease is gone. With a fixed identity the lease is taken at once.
    workloads: { identity: "attune-up" },
    signal,
    log: log.child({ part: "lab" }),
  });
  return { server, admin, nodes, stopped };
}

interface Clusters {
  readonly management: Cluster;
  readonly hosted: Cluster;
  readonly kubeconfig: string;
}

function stageOf(
  { management, hosted, kubeconfig }: Clusters,
  { signal }: StageOptions,
  stopped: Promise<void>,
): Stage {
  const kubectl = `kubectl --kubeconfig ${shellWord(kubeconfig)}`;
  const hosts = new Map(hosted.nodes.map(({ name, host }) => [name, host]));
  return {
    heading: [
      { title: "management", text: management.server.url },
      { title: "hosted", text: hosted.server.url },
      { title: "kubeconfig", text: kubeconfig },
      { title: "try", text: `${kubectl} --context management get nodepools,configmaps`, later: true },
      { title: "", text: `${kubectl} --context hosted get nodes,tuneds,profiles -A`, later: true },
    ],
    nodes: hosts.size,
    async createExample() {
      const { configMaps, nodePools } = exampleNodePools(hosts.size);
      await createMissing(management.admin, hostedClusterKind, exampleHostedCluster());
      for (const configMap of configMaps) await createMissing(management.admin, kinds.configMap, configMap);
      for (const nodePool of nodePools) await createMissing(management.admin, nodePoolKind, nodePool);
    },
    example: hostedExampleText(hosts.size),
    read: () => readHosted({ management: management.admin, hosted: hosted.admin, hosts, signal }),
    watched: [
      createInformer(management.admin, nodePoolKind, { namespace: clustersNamespace }),
      createInformer(hosted.admin, kinds.node),
    ],
    stopped,
  };
}

import { agentServiceAccount } from "../../agent/rbac.ts";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import type { MemoryHost } from "../../../node/host/memory-host.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { bearer, staticCredentials } from "../../../cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { labRbac, labServiceAccount } from "../../../embedded/lab/rbac.ts";
import { runLab } from "../../../embedded/lab/run-lab.ts";
import { controllerAccounts } from "../../../embedded/lab/workloads/workload-components.ts";
import { exampleLabels } from "./worked-example.ts";
import { runOperator } from "../../operator/operator.ts";
import { operatorServiceAccount } from "../../operator/rbac.ts";
import { systemNamespace } from "../../operator/names.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { attuneHandlers } from "../../webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../webhook/rbac.ts";
import { runWebhook } from "../../webhook/webhook.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { foundation, kindsOf } from "../install/manifests.ts";
import { featuresOf } from "../operator/run-operator.ts";
import { programs } from "../lab/container-programs.ts";
import { defaultImage, version } from "../version.ts";
import { firstBoots } from "../lab/first-boots.ts";
import { smallNodes } from "../lab/virtual-nodes.ts";

export interface SystemOptions {
  readonly dir: string;
  readonly port: number;
  readonly nodes: number;
  readonly mode: "standalone" | "plain";
  readonly signal: AbortSignal;
  readonly log: Log;
}

export interface System {
  readonly server: ApiServer;
  /** The only client with the rights of an admin. */
  readonly admin: Client;
  readonly hosts: ReadonlyMap<string, MemoryHost>;
  /** Rejects when a part fails; resolves when all have stopped. */
  readonly stopped: Promise<void>;
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
    const admin = clientOf(server, server.authority.adminToken);
    const nodes = smallNodes(options.nodes, "node-", (name) => exampleLabels(name, options.mode));
    const lab = {
      nodes: nodes.map(({ name }) => name),
      users: ["system:kube-controller-manager", "system:kube-scheduler"],
      serviceAccounts: controllerAccounts,
    };
    // What `attune install` applies, without the Deployments: this process runs their programs.
    await applyManifests(
      admin,
      [
        ...foundation({ mode: options.mode, firstBoot: options.mode === "plain" ? loopback : undefined }),
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
  { signal, log, mode }: SystemOptions,
): Promise<Pick<System, "hosts" | "stopped">> {
  const tokenClient = async (account: string): Promise<HttpClient> => clientOf(server, await tokenOf(admin, account));
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
      ...attuneHandlers(webhook, { log: log.child({ part: "webhook" }), ...kindsOf(mode) }),
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

function clientOf(server: ApiServer, token: string): HttpClient {
  return new HttpClient({
    cluster: { server: server.url, certificateAuthority: server.authority.caPem },
    credentials: staticCredentials(bearer(token)),
    namespace: "default",
    name: "attune",
  });
}

/** The operator publishes the port that it gets. */
const loopback = "https://127.0.0.1";

/** A day. Every start requests new tokens. */
const tokenSeconds = 24 * 3600;

async function tokenOf(admin: Client, name: string): Promise<string> {
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { expirationSeconds: tokenSeconds },
  };
  const path = { namespace: systemNamespace, name, subresource: "token" };
  const answer = await admin.create(kinds.serviceAccount as never, request as never, path);
  return (answer as { status: { token: string } }).status.token;
}

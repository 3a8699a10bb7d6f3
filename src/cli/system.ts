import { join } from "node:path";
import { runAgent } from "../agent/agent.ts";
import { agentServiceAccount } from "../agent/rbac.ts";
import { startServer, type ApiServer } from "../apiserver/server.ts";
import type { MemoryHost } from "../host/memory-host.ts";
import type { Client } from "../kube/client.ts";
import { bearer, staticCredentials } from "../kube/credentials.ts";
import { HttpClient } from "../kube/http-client.ts";
import { kinds } from "../kube/kinds.ts";
import { runKubelets } from "../lab/kubelet/kubelets.ts";
import type { VirtualNode } from "../lab/kubelet/virtual-node.ts";
import { labRbac, labServiceAccount } from "../lab/rbac.ts";
import { exampleLabel } from "../lab/worked-example.ts";
import { tuningNamespace } from "../node-tuning/api.ts";
import { runOperator } from "../operator/operator.ts";
import { operatorServiceAccount, systemNamespace } from "../operator/rbac.ts";
import type { Log } from "../runtime/log.ts";
import { applyManifests } from "./apply-manifests.ts";
import { installManifests } from "./manifests.ts";
import { defaultImage, version } from "./version.ts";
import { smallNodes } from "./virtual-nodes.ts";

export interface SystemOptions {
  readonly dir: string;
  readonly port: number;
  readonly nodes: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

export interface System {
  readonly server: ApiServer;
  /** The user's own client: the only one with an admin's rights. */
  readonly admin: Client;
  readonly hosts: ReadonlyMap<string, MemoryHost>;
  /** Rejects when a part fails; resolves when all have stopped. */
  readonly stopped: Promise<void>;
}

/**
 * The whole system in one process: server, virtual nodes, operator, agents. They share nothing but loopback HTTPS, and
 * each part has the token of its own ServiceAccount, so that what it may do is proven on every start.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { dir, port, log } = options;
  const server = await startServer({ dir, port, log: log.child({ part: "apiserver" }) });
  try {
    const admin = clientOf(server, server.authority.adminToken);
    const labels = { "node-role.kubernetes.io/worker": "", [exampleLabel]: "" };
    const nodes = smallNodes(options.nodes, "node-", labels);
    const lab = labRbac(systemNamespace, { nodes: nodes.map(({ name }) => name) });
    await applyManifests(admin, [...installManifests(), ...lab], options.signal);
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
  { signal, log }: SystemOptions,
): Promise<Pick<System, "hosts" | "stopped">> {
  const tokenClient = async ([namespace, account]: [string, string]): Promise<HttpClient> =>
    clientOf(server, await tokenOf(admin, namespace, account));
  const accounts: [string, string][] = [
    [systemNamespace, operatorServiceAccount],
    [systemNamespace, labServiceAccount],
    [tuningNamespace, agentServiceAccount],
  ];
  const [operator, lab, agent] = await Promise.all(accounts.map(tokenClient));
  if (!operator || !lab || !agent) throw new Error("start: a part has no client");
  const hosts = new Map(nodes.map(({ name, host }) => [name, host]));
  const parts = [
    runOperator({
      client: operator,
      image: defaultImage,
      agentServiceAccount,
      version,
      signal,
      log: log.child({ part: "operator" }),
    }),
  ];
  parts.push(
    runKubelets({
      client: lab,
      clientAs: (who) => lab.as(who),
      cluster: lab.connection.cluster,
      nodes,
      signal,
      log: log.child({ part: "lab" }),
    }),
  );
  for (const [name, host] of hosts)
    parts.push(runAgent({ client: agent, node: name, host, signal, log: log.child({ part: "agent" }) }));
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

/** A day: longer than a trial lasts, and every start asks for new ones. */
const tokenSeconds = 24 * 3600;

async function tokenOf(admin: Client, namespace: string, name: string): Promise<string> {
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { expirationSeconds: tokenSeconds },
  };
  const path = { namespace, name, subresource: "token" };
  const answer = await admin.create(kinds.serviceAccount as never, request as never, path);
  return (answer as { status: { token: string } }).status.token;
}

export function defaultStateDirectory(mode: string, env: NodeJS.ProcessEnv): string {
  const home = env.XDG_STATE_HOME || join(env.HOME ?? ".", ".local", "state");
  return join(home, "attune", mode);
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startServer, type ApiServer, type ServerOptions } from "../../src/embedded/apiserver/server.ts";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { runLab, type LabOptions } from "../../src/embedded/lab/run-lab.ts";
import type { ObjectMeta } from "../../src/language/object/meta.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";

export const namespace = "work";
const base = machineBase(smallMachine);

/** The embedded API server and virtual nodes, on one clock that the test advances. */
export class LabCluster {
  readonly clock = new VirtualClock();
  readonly #server: ApiServer;
  readonly #dir: string;
  readonly admin: HttpClient;
  readonly #ends: (() => Promise<void>)[] = [];

  private constructor(server: ApiServer, dir: string) {
    this.#server = server;
    this.#dir = dir;
    this.admin = this.client();
  }

  static async start(options: Partial<ServerOptions> = {}): Promise<LabCluster> {
    const dir = await mkdtemp(join(tmpdir(), "attune-lab-"));
    const clock = new VirtualClock();
    const server = await startServer({ dir, storage: "memory", clock, ...options });
    const cluster = new LabCluster(server, dir);
    Object.assign(cluster, { clock });
    await cluster.admin.create(kinds.namespace, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    return cluster;
  }

  get server(): ApiServer {
    return this.#server;
  }

  client(token = this.#server.authority.adminToken): HttpClient {
    return new HttpClient({
      cluster: { server: this.#server.url, certificateAuthority: this.#server.authority.caPem },
      credentials: staticCredentials(bearer(token)),
      namespace: "default",
      name: "test",
    });
  }

  /** Runs kubelets of these nodes until the returned function is called, or the cluster stops. */
  kubelets(nodes: readonly (string | VirtualNode)[], options: Partial<LabOptions> = {}): Lab {
    const end = new AbortController();
    const client = this.client();
    const all = nodes.map((node) => (typeof node === "string" ? virtualNode(node) : node));
    const done = runLab({
      client,
      clientAs: (who) => client.as(who),
      cluster: client.connection.cluster,
      nodes: all,
      workloads: false,
      clock: this.clock,
      signal: end.signal,
      ...options,
    });
    const stop = async (): Promise<void> => {
      end.abort();
      await done;
      client.close();
    };
    this.#ends.push(stop);
    return { nodes: new Map(all.map((node) => [node.name, node])), stop, done };
  }

  async createPod(pod: PodWish): Promise<Pod> {
    const { name, node, metadata = {}, containers = [{ name: "main", image: "example.com/x:1" }], ...spec } = pod;
    return this.admin.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, ...metadata },
      spec: { nodeName: node, containers, ...spec },
    } as Pod);
  }

  async pod(name: string): Promise<Pod | undefined> {
    return this.admin.get(kinds.pod, name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  /** Waits until the pod satisfies the condition, without advancing the clock. */
  async podThat(name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
    return this.eventually(
      async () => {
        const pod = await this.pod(name);
        return pod && holds(pod) ? pod : undefined;
      },
      async () => JSON.stringify((await this.pod(name))?.status),
    );
  }

  async nodeThat(name: string, holds: (node: Node) => boolean): Promise<Node> {
    const read = async (): Promise<Node | undefined> =>
      (await this.admin.list(kinds.node)).items.find(({ metadata }) => metadata.name === name);
    return this.eventually(
      async () => {
        const node = await read();
        return node && holds(node) ? node : undefined;
      },
      async () => JSON.stringify(await read()),
    );
  }

  async gone(name: string): Promise<void> {
    await this.eventually(async () => ((await this.pod(name)) ? undefined : true));
  }

  async eventually<T>(read: () => Promise<T | undefined>, explain?: () => Promise<unknown>): Promise<T> {
    for (const end = Date.now() + 100_000; Date.now() < end; await delay(5)) {
      const found = await read();
      if (found !== undefined) return found;
    }
    throw new Error(`timed out waiting: ${String(await explain?.())}`);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
    this.admin.close();
    await this.#server.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

export interface Lab {
  readonly nodes: ReadonlyMap<string, VirtualNode>;
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

export type PodWish = { name: string; node: string; metadata?: ObjectMeta; [field: string]: unknown };

export function virtualNode(name: string, options: Partial<VirtualNode["options"]> = {}): VirtualNode {
  return new VirtualNode({ name, topology: smallMachine, base, ...options });
}

export function phase(wanted: string): (pod: Pod) => boolean {
  return ({ status }) => status?.phase === wanted;
}

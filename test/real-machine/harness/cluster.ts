import type { DaemonSet } from "kubernetes-types/apps/v1.js";
import { loadConnection } from "../../../src/cluster/kube/connect/load-connection.ts";
import type { KindRef } from "../../../src/cluster/kube/client.ts";
import { HttpClient } from "../../../src/cluster/kube/http-client.ts";
import { kinds, type Typed } from "../../../src/cluster/kube/kinds.ts";
import { agentDaemonSetName } from "../../../src/domain/node-tuning/agent-daemon-set.ts";
import { type Profile, profileKind, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { agentServiceAccount } from "../../../src/program/agent/rbac.ts";
import type { Program, Run } from "../../../src/program/cli/testing/program.ts";
import { guestName } from "./guest-files.ts";

/** The host as the guest sees it, on a network that the emulator makes up. */
const hostAddress = "10.0.2.2";
const tokenSeconds = 24 * 3600;
const namespace = tuningNamespace;
/** Without OpenShift: Attune rolls pools out itself. */
const mode = "plain";

/** The embedded API server and the operator as programs on the host, and the guest's Node. */
export class Cluster {
  readonly client: HttpClient;
  readonly kubeconfig: string;
  readonly #attune: Program;
  readonly #server: Run;
  #operator: Run | undefined;

  private constructor(attune: Program, server: Run, kubeconfig: string, client: HttpClient) {
    this.#attune = attune;
    this.#server = server;
    this.kubeconfig = kubeconfig;
    this.client = client;
  }

  static async start(attune: Program, dir: string): Promise<Cluster> {
    const server = attune.start(["apiserver", "--dir", dir]);
    await server.printed(/^ready (\S+)$/m);
    const kubeconfig = `${dir}/kubeconfig`;
    const cluster = new Cluster(attune, server, kubeconfig, new HttpClient(await loadConnection({ kubeconfig })));
    await cluster.#addNode();
    const installed = await attune.run(["install", "--mode", mode, "--apply", "--kubeconfig", kubeconfig]);
    if (installed.code !== 0) throw new Error(`install: ${installed.stderr}${installed.stdout}`);
    cluster.startOperator();
    return cluster;
  }

  startOperator(): void {
    const words = ["operator", "--mode", mode, "--no-leader-election", "--kubeconfig", this.kubeconfig];
    this.#operator = this.#attune.start(words);
  }

  /** Creates the object, or replaces what this test had applied. */
  async apply<T extends KubeObject>(of: KindRef<T>, object: object): Promise<T> {
    const { metadata } = object as KubeObject;
    const patch = { type: "apply", object, force: true } as const;
    const where = of.namespaced ? { namespace: metadata.namespace } : {};
    return this.client.patch(of, metadata.name ?? "", patch, { fieldManager: "test", ...where });
  }

  /** The object as soon as it holds, from its events. Undefined is an object that does not exist. */
  async until<T extends KubeObject>(
    of: KindRef<T>,
    name: string,
    holds: (object: T | undefined) => boolean,
    { seconds = 600, what = holds.toString() } = {},
  ): Promise<T | undefined> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), seconds * 1000);
    const where = { fieldSelector: `metadata.name=${name}`, ...(of.namespaced ? { namespace } : {}) };
    let last: T | undefined;
    try {
      for (;;) {
        const { items, metadata } = await this.client.list(of, { ...where, signal: late.signal });
        if (holds((last = items[0]))) return last;
        const options = { ...where, resourceVersion: metadata.resourceVersion, signal: late.signal };
        for await (const event of this.client.watch(of, options)) {
          if (event.type === "ERROR" || event.type === "BOOKMARK") continue;
          if (holds((last = event.type === "DELETED" ? undefined : event.object))) return last;
        }
        late.signal.throwIfAborted();
      }
    } catch (error) {
      if (!late.signal.aborted) throw error;
      const found = JSON.stringify(last, undefined, 1) ?? "no such object";
      throw new Error(`not within ${seconds} s: ${what}: ${of.kind} ${name} is ${found}`, { cause: error });
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }

  /** The guest's Profile, once its status is that of its spec and holds. */
  async profile(holds: (profile: Profile) => boolean, seconds = 600): Promise<Profile> {
    const current = (profile: Profile | undefined): boolean =>
      profile?.status?.observedGeneration === profile?.metadata.generation && profile !== undefined && holds(profile);
    return (await this.until(profileKind, guestName, current, { seconds, what: holds.toString() })) as Profile;
  }

  /** The words that the operator starts agents with. The guest's agent is no container: the node's root is its own. */
  async agentWords(): Promise<string[]> {
    const daemonSet = await this.#agents();
    const [, ...words] = daemonSet.spec?.template.spec?.containers[0]?.command ?? [];
    const root = words.indexOf("--root");
    return words.toSpliced(root, 2).map((word) => word.replace("$(NODE_NAME)", guestName));
  }

  /** For the agent on the guest, with the token of its pod: the rights of an agent, on its own node. */
  async agentKubeconfig(): Promise<string> {
    const { apiVersion, kind, metadata: agents } = await this.#agents();
    // Drains leave pods of a DaemonSet alone.
    const owner = { apiVersion, kind, name: agents.name ?? "", uid: agents.uid ?? "", controller: true };
    const metadata = { name: `agent-${guestName}`, namespace, ownerReferences: [owner] };
    const containers = [{ name: "agent", image: "agent" }];
    const spec = { nodeName: guestName, serviceAccountName: agentServiceAccount, containers };
    const pod = await this.client.create(kinds.pod, { apiVersion: "v1", kind: "Pod", metadata, spec }, { namespace });
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: pod.metadata.uid };
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {} };
    const { status } = (await this.client.create(
      kinds.tokenRequest as never,
      { ...request, spec: { boundObjectRef, expirationSeconds: tokenSeconds } } as never,
      { namespace, name: agentServiceAccount, subresource: "token" },
    )) as { status: { token: string } };
    const { server, certificateAuthority = "" } = this.client.connection.cluster;
    const { port } = new URL(server);
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "guest",
      clusters: [
        {
          name: "guest",
          cluster: {
            server: `https://${hostAddress}:${port}`,
            "tls-server-name": "localhost",
            "certificate-authority-data": Buffer.from(certificateAuthority).toString("base64"),
          },
        },
      ],
      users: [{ name: "guest", user: { token: status.token } }],
      contexts: [{ name: "guest", context: { cluster: "guest", user: "guest", namespace } }],
    });
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.#operator?.stop("SIGKILL");
    await this.#server.stop("SIGKILL");
  }

  async #agents(): Promise<Typed<DaemonSet>> {
    const found = await this.until(kinds.daemonSet, agentDaemonSetName, (object) => object !== undefined);
    return found as Typed<DaemonSet>;
  }

  async #addNode(): Promise<void> {
    const labels = {
      "kubernetes.io/hostname": guestName,
      "kubernetes.io/os": "linux",
      "node-role.kubernetes.io/worker": "",
    };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: guestName, labels } };
    await this.client.create(kinds.node, node);
    // What its kubelet would report.
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }];
    const nodeInfo = { architecture: "amd64", operatingSystem: "linux", kubeletVersion: "v1.35.0" };
    await this.client.patch(
      kinds.node,
      guestName,
      { type: "merge", patch: { status: { conditions, nodeInfo } } },
      { subresource: "status" },
    );
  }
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { agentDaemonSet } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { apiVersion, profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { defaultImage } from "../../src/program/version.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import type { Bind, Container } from "./runtime-spec.ts";

interface PodSpec {
  readonly serviceAccountName: string;
  readonly securityContext?: object;
  readonly containers: readonly Container[];
}

/** An embedded API server on which `attune install` ran, and what a kubelet gives to the containers of its pods. */
export class InstalledCluster {
  readonly #server: ServerUnderTest;
  readonly #client: HttpClient;
  readonly #dir: string;

  private constructor(server: ServerUnderTest, dir: string) {
    this.#server = server;
    this.#client = clientFor(server);
    this.#dir = dir;
  }

  static async start(dir: string): Promise<InstalledCluster> {
    const cluster = new InstalledCluster(await startEmbeddedServer(), dir);
    await applyManifests(cluster.#client, installManifests());
    await eventually("Tuneds are served", () => cluster.#client.list(tunedKind));
    return cluster;
  }

  async stop(): Promise<void> {
    this.#client.close();
    await this.#server.close();
  }

  async createNode(name: string): Promise<void> {
    const labels = { "kubernetes.io/os": "linux" };
    await this.#client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  }

  /** A profile for every node. */
  async createTuned(name: string, data: string): Promise<void> {
    const spec = { profile: [{ name, data }], recommend: [{ profile: name, priority: 1 }] };
    const metadata = { name, namespace: tuningNamespace };
    await this.#client.create(tunedKind, { apiVersion, kind: "Tuned", metadata, spec }, { namespace: tuningNamespace });
  }

  /** The name of the profile that the node's agent has applied. */
  async applied(node: string): Promise<string> {
    return eventually("the profile is applied", async () => {
      const { status } = await this.#client.get(profileKind, node, { namespace: tuningNamespace });
      return isTrue(status?.conditions, "Applied") && status?.tunedProfile;
    });
  }

  /** Resolves when the webhook has written how API servers reach it. */
  async registered(): Promise<void> {
    await eventually("the webhook registers itself", async () => {
      const object = await this.#client.get(kinds.validatingWebhookConfiguration, "attune-webhook");
      return JSON.stringify(object).includes("caBundle");
    });
  }

  operator(): Promise<Container> {
    return this.#container("operator", podSpecOf(deployment("attune-operator")), systemNamespace);
  }

  webhook(): Promise<Container> {
    return this.#container("webhook", podSpecOf(deployment("attune-webhook")), systemNamespace);
  }

  /** With the token of a pod on this node: agents may write its Profile alone. */
  async agent(node: string): Promise<Container> {
    const namespace = tuningNamespace;
    const options = { namespace, image: defaultImage, serviceAccount: agentServiceAccount, release: "" };
    const spec = { nodeName: node, serviceAccountName: agentServiceAccount, containers: [{ name: "c", image: "i" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: `agent-${node}`, namespace }, spec };
    const { metadata } = await eventually("the pod", () => this.#client.create(kinds.pod, pod, { namespace }));
    const bound = { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid };
    const container = await this.#container("agent", podSpecOf(agentDaemonSet(options, undefined)), namespace, bound);
    const command = container.command.map((word) => word.replace("$(NODE_NAME)", node));
    return { ...container, command };
  }

  /** The files of the ServiceAccount, where every pod finds them. */
  binds(name: string): Bind[] {
    const target = "/var/run/secrets/kubernetes.io/serviceaccount";
    return [{ source: join(this.#dir, name), target, readOnly: true }];
  }

  async #container(name: string, spec: PodSpec, namespace: string, boundObjectRef?: object): Promise<Container> {
    const [container] = spec.containers;
    if (!container) throw new Error(`the pod of the ${name} has no container`);
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: { boundObjectRef },
    };
    const path = { namespace, name: spec.serviceAccountName, subresource: "token" };
    const answer = await this.#client.create(kinds.tokenRequest as never, request as never, path);
    const { token } = (answer as { status: { token: string } }).status;
    const folder = join(this.#dir, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries({ token, "ca.crt": this.#server.authority.caPem, namespace }))
      writeFileSync(join(folder, file), text);
    const { hostname, port } = new URL(this.#server.url);
    const address = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    return {
      ...container,
      command: container.command.map(onFreePort),
      args: (container.args ?? []).map(onFreePort),
      env: [...(container.env ?? []), ...Object.entries(address).map(([name, value]) => ({ name, value }))],
      securityContext: { ...spec.securityContext, ...container.securityContext },
    };
  }
}

/** The containers share the ports of this machine. */
function onFreePort(word: string): string {
  return word === "8443" ? "0" : word.replace(/^([\d.]*):\d+$/, "$1:0");
}

function deployment(name: string): KubeObject {
  const found = installManifests().find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name);
  if (!found) throw new Error(`attune install prints no Deployment ${name}`);
  return found;
}

function podSpecOf(object: KubeObject): PodSpec {
  return (object as KubeObject & { spec: { template: { spec: PodSpec } } }).spec.template.spec;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { newKeyPair, privateKeyPem } from "../../src/cluster/certificate/certificate.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { type Clock, systemClock } from "../../src/cluster/runtime/clock.ts";
import { agentDaemonSet, agentDaemonSetName } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { apiVersion, profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import { runAgent } from "../../src/program/agent/agent.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { agentOn } from "../node-tuning/agent-token.ts";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { eventually, until } from "../node-tuning/eventually.ts";
import { recording } from "../node-tuning/recorded-requests.ts";
import { clientFor } from "../servers/client-for.ts";

const swappiness = "/proc/sys/vm/swappiness";
const inNamespace = { namespace };
/** Waits a twentieth of the time. */
const impatient: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 20, callback) };

/** An agent with the token of its pod, on a node that it has tuned. */
class Installed {
  readonly admin: HttpClient;
  readonly host = new MemoryHost(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "b\n"],
      [swappiness, "60\n"],
    ]),
  );
  server: ApiServer;
  readonly #dir: string;
  readonly #stop = new AbortController();
  #agent: HttpClient | undefined;
  #ended: Promise<void> = Promise.resolve();

  private constructor(server: ApiServer, dir: string) {
    this.server = server;
    this.#dir = dir;
    this.admin = clientFor(server);
  }

  static async start(storage: "memory" | "disk" = "memory"): Promise<Installed> {
    const dir = await mkdtemp(join(tmpdir(), "attune-removal-"));
    const server = await startServer({ dir, ...(storage === "memory" ? { storage } : {}) });
    const installed = new Installed(server, dir);
    onTestFinished(async () => {
      await installed.end();
      await installed.server.close();
      await rm(dir, { recursive: true, force: true });
    });
    await installed.#prepare();
    return installed;
  }

  async #prepare(): Promise<void> {
    const { admin, host } = this;
    await applyManifests(admin, foundation());
    await eventually("Profiles are served", () => admin.list(profileKind));
    await this.createDaemonSet();
    await admin.create(profileKind, {
      apiVersion,
      kind: "Profile",
      metadata: { name: "n", namespace },
      spec: { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "[sysctl]\nvm.swappiness=10\n" }] },
    });
    const agent = await agentOn(this.server, "n");
    this.#agent = agent;
    const seen = new Set<string>();
    const client = recording(agent, ({ verb, resource }) => seen.add(`${verb} ${resource}`));
    const { signal } = this.#stop;
    this.#ended = runAgent({ client, node: "n", host, signal, clock: impatient }).finally(() => agent.close());
    await until(async () => (await this.value()) === "10");
    await until(() => seen.has("watch serviceaccounts") && seen.has("get daemonsets"));
  }

  async createDaemonSet(): Promise<void> {
    const options = { namespace, image: "attune:test", serviceAccount: agentServiceAccount, release: "" };
    await this.admin.create(kinds.daemonSet, agentDaemonSet(options, undefined), inNamespace);
  }

  /** Otherwise a test would not show what it says. */
  async refusesToken(): Promise<void> {
    await expect(this.#agent?.get(profileKind, "n", inNamespace)).rejects.toMatchObject({ code: 401 });
  }

  async value(): Promise<string> {
    const file = await this.host.read(swappiness);
    return file.type === "text" ? file.text.trim() : file.type;
  }

  /** The server with the same objects, after `meanwhile`. */
  async restartServer(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    const { port } = this.server;
    await this.server.close();
    await meanwhile();
    this.server = await startServer({ dir: this.#dir, port });
  }

  /** What a new signing key replaces. */
  get signingKey(): string {
    return join(this.#dir, "pki", "service-account.pem");
  }

  /** SIGTERM. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

type Step = (installed: Installed) => Promise<unknown>;

const removeDaemonSet: Step = ({ admin }) => admin.delete(kinds.daemonSet, agentDaemonSetName, inNamespace);
const removeServiceAccount: Step = ({ admin }) => admin.delete(kinds.serviceAccount, agentServiceAccount, inNamespace);
const removePod: Step = ({ admin }) => admin.delete(kinds.pod, "agent-n", { ...inNamespace, gracePeriodSeconds: 0 });
const removeRoleBinding: Step = ({ admin }) => admin.delete(kinds.roleBinding, "attune:agent", inNamespace);
const removeDefinition: Step = ({ admin }) =>
  admin.delete(kinds.customResourceDefinition, "profiles.tuned.openshift.io");
const removeNamespace: Step = ({ admin }) => admin.delete(kinds.namespace, namespace);
const removeProfile: Step = ({ admin }) => admin.delete(profileKind, "n", inNamespace);

test.each<[string, Step[]]>([
  ["its DaemonSet", [removeDaemonSet]],
  ["its ServiceAccount, then its DaemonSet", [removeServiceAccount, removeDaemonSet]],
  ["its ServiceAccount and its pod", [removeServiceAccount, removePod]],
  ["its roles, then its DaemonSet", [removeRoleBinding, removeDaemonSet]],
  ["its roles, its ServiceAccount, its DaemonSet", [removeRoleBinding, removeServiceAccount, removeDaemonSet]],
  ["its DaemonSet, its roles, its ServiceAccount", [removeDaemonSet, removeRoleBinding, removeServiceAccount]],
  ["the CRD of Profiles", [removeDefinition]],
  ["its ServiceAccount, then the CRD", [removeServiceAccount, removeDefinition]],
  ["its roles, then the CRD", [removeRoleBinding, removeDefinition]],
  ["its namespace", [removeNamespace]],
  ["its ServiceAccount, then its namespace", [removeServiceAccount, removeNamespace]],
  ["its namespace, then its roles", [removeNamespace, removeRoleBinding]],
  ["its Profile, as for a Node that was deleted", [removeProfile]],
  ["its Profile, then its pod by force", [removeProfile, removePod]],
])("a node is given back, and nothing stays on it, after the deletion of %s", async (_, steps) => {
  const installed = await Installed.start();
  for (const step of steps) await step(installed).catch(ignoreMissing);
  await installed.end();
  expect(Object.fromEntries(installed.host.changes())).toEqual({});
});

test.each<[string, "memory" | "disk", Step]>([
  ["its pod was restarted", "memory", async () => undefined],
  [
    "its pod was deleted by force, and its token with it",
    "memory",
    async (installed) => {
      await removePod(installed);
      await installed.refusesToken();
    },
  ],
  ["its Node was cordoned", "memory", cordon],
  ["its ServiceAccount was deleted by mistake and created again", "memory", recreateServiceAccount],
  ["its DaemonSet was created again, as by an upgrade that replaces it", "memory", recreateDaemonSet],
  ["the API server cannot be reached", "memory", ({ server }) => server.close()],
  ["the API server was restarted", "disk", (installed) => installed.restartServer()],
  [
    "the API server has a new signing key, and refuses its token",
    "disk",
    async (installed) => {
      await installed.restartServer(() => writeFile(installed.signingKey, newKey()));
      await installed.refusesToken();
    },
  ],
])("a node stays tuned when its agent ends after %s", async (_, storage, step) => {
  const installed = await Installed.start(storage);
  await step(installed);
  await installed.end();
  expect(await installed.value()).toBe("10");
});

function newKey(): string {
  return privateKeyPem(newKeyPair().privateKey);
}

async function cordon({ admin }: Installed): Promise<void> {
  await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  await admin.patch(kinds.node, "n", { type: "merge", patch: { spec: { unschedulable: true } } });
}

async function recreateServiceAccount({ admin }: Installed): Promise<void> {
  const { apiVersion, kind, metadata } = await admin.get(kinds.serviceAccount, agentServiceAccount, inNamespace);
  const { name, labels } = metadata;
  await admin.delete(kinds.serviceAccount, agentServiceAccount, inNamespace);
  await admin.create(kinds.serviceAccount, { apiVersion, kind, metadata: { name, namespace, labels } }, inNamespace);
}

async function recreateDaemonSet(installed: Installed): Promise<void> {
  await removeDaemonSet(installed);
  await installed.createDaemonSet();
}

/** Deleted already, with its namespace. */
function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

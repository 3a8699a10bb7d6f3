import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../../src/cluster/kube/client.ts";
import { bearer, staticCredentials } from "../../../src/cluster/kube/connect/credentials.ts";
import type { HttpClient } from "../../../src/cluster/kube/http-client.ts";
import { kinds } from "../../../src/cluster/kube/kinds.ts";
import { noLog } from "../../../src/cluster/runtime/log/log.ts";
import { machineConfigPoolKind } from "../../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../src/domain/machine-config/crds.ts";
import { type Profile, profileKind, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../src/domain/node-tuning/crds.ts";
import { performanceProfileCrds } from "../../../src/domain/performance-profile/crds.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { startServer } from "../../../src/embedded/apiserver/server.ts";
import { adminOf, tokenOf } from "../../../src/program/cli/up/cluster-access.ts";
import { type RunningConsole, startConsole } from "../../../src/program/console/console-server.ts";
import { version } from "../../../src/program/version.ts";
import { builtPage } from "./built-page.ts";

export type ServeOptions = Partial<Omit<Parameters<typeof startConsole>[0], "assets" | "version">>;

/** An API server with Nodes and Profiles that no kubelet and no agent changes: a test writes each state itself. */
export interface ObjectCluster {
  readonly admin: HttpClient;
  /** A console, which stops with the cluster. Default: of an admin, with links. */
  serve(options?: ServeOptions): Promise<RunningConsole>;
  /** Of a new ServiceAccount with the rights of a ClusterRole in all namespaces, in one, or without any. */
  tokenOf(account: string, clusterRole?: string, namespace?: string): Promise<string>;
  /** Nodes `n-1` and so on of pool worker, as wanted. */
  addNodes(count: number): Promise<void>;
  /** With the rights of a token. */
  clientOf(token: string): HttpClient;
  /** Replaces the status of a node's Profile: by default all is as wanted. */
  report(node: string, more?: Partial<NonNullable<Profile["status"]>>): Promise<void>;
  stop(): Promise<void>;
}

const at = "2026-01-01T00:00:00Z";
export const condition = (type: "Applied" | "Degraded", status: "True" | "False", message = "") => ({
  type,
  status,
  reason: status === (type === "Applied" ? "True" : "False") ? "AsExpected" : "TunedError",
  message,
  lastTransitionTime: at,
});

export async function startObjectCluster(): Promise<ObjectCluster> {
  const dir = await mkdtemp(join(tmpdir(), "attune-console-"));
  const stop = new AbortController();
  const { signal } = stop;
  const [page, server] = await Promise.all([builtPage(), startServer({ dir, storage: "memory" })]);
  const admin = adminOf(server);
  await admin.create(kinds.clusterRole, viewer);
  for (const crd of [...nodeTuningCrds, ...machineConfigCrds, ...performanceProfileCrds])
    await admin.create(kinds.customResourceDefinition, crd);
  await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } });
  await admin.create(machineConfigPoolKind, workerPool);
  const consoles: RunningConsole[] = [];
  const report = async (node: string, more: Partial<NonNullable<Profile["status"]>> = {}): Promise<void> => {
    const conditions = [condition("Applied", "True"), condition("Degraded", "False")];
    const status = { tunedProfile: "openshift-node", observedGeneration: 1, conditions, ...more };
    const of = { namespace: tuningNamespace, subresource: "status" } as const;
    await admin.patch(profileKind, node, { type: "merge", patch: { status } }, of);
  };
  return {
    admin,
    report,
    clientOf: (token) => admin.for({ ...admin.connection, credentials: staticCredentials(bearer(token)) }),
    tokenOf: async (account, role, namespace) => {
      await admin.create(kinds.serviceAccount, serviceAccount(account));
      if (role !== undefined) await bind(admin, account, { role, namespace });
      return tokenOf(admin, account, "default");
    },
    async serve(more = {}) {
      const clusters = [{ name: "objects", client: admin }];
      const { assets } = page;
      const common = { clusters, assets, version, host: "127.0.0.1", port: 0, signal, log: noLog } as const;
      const running = await startConsole({ ...common, signIn: "link", ...more });
      consoles.push(running);
      return running;
    },
    async addNodes(count) {
      for (let next = 1; next <= count; next += 50) {
        const names = Array.from({ length: Math.min(50, count - next + 1) }, (_, i) => `n-${next + i}`);
        await Promise.all(
          names.map(async (name) => {
            await admin.create(kinds.node, nodeOf(name));
            await admin.create(profileKind, profileOf(name), { namespace: tuningNamespace });
            await report(name);
          }),
        );
      }
    },
    async stop() {
      stop.abort();
      await Promise.all(consoles.map(({ stopped }) => stopped));
      admin.close();
      await server.close();
      await page.remove();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const group = "machineconfiguration.openshift.io";
const workerPool = {
  apiVersion: `${group}/v1`,
  kind: "MachineConfigPool",
  metadata: { name: "worker", labels: { [`${group}/role`]: "worker" } },
  spec: {
    nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker": "" } },
    machineConfigSelector: { matchLabels: { [`${group}/role`]: "worker" } },
  },
};

function nodeOf(name: string) {
  const labels = { "node-role.kubernetes.io/worker": "", "kubernetes.io/os": "linux" };
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "", lastTransitionTime: at };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, status: { conditions: [ready] } };
}

function profileOf(name: string): Profile {
  return {
    apiVersion: profileKind.apiVersion,
    kind: profileKind.kind,
    metadata: { name, namespace: tuningNamespace },
    spec: { config: { tunedProfile: "openshift-node" } },
  };
}

function serviceAccount(name: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "default" } };
}

interface Binding {
  readonly role: string;
  readonly namespace: string | undefined;
}

async function bind(admin: Client, account: string, { role, namespace }: Binding): Promise<void> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role };
  const subjects = [{ kind: "ServiceAccount", name: account, namespace: "default" }];
  const common = { apiVersion, roleRef, subjects };
  if (namespace === undefined)
    await admin.create(kinds.clusterRoleBinding, {
      ...common,
      kind: "ClusterRoleBinding",
      metadata: { name: account },
    });
  else
    await admin.create(kinds.roleBinding, { ...common, kind: "RoleBinding", metadata: { name: account, namespace } });
}

/** The ClusterRole of users who may read everything of Attune. */
export const viewerRole = "attune-test-viewer";
const viewer = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: viewerRole },
  rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }],
};

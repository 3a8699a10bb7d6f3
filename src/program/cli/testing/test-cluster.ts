import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds, untyped } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import { startServer } from "../../../embedded/apiserver/server.ts";
import { createMissing } from "../up/cluster-access.ts";
import { runOperator } from "../../operator/operator.ts";

export interface TestCluster {
  readonly client: HttpClient;
  /** For files of the test. */
  readonly dir: string;
  /** Aborts when the test has finished; what `run` was given must end then. */
  readonly signal: AbortSignal;
  readonly run: (part: Promise<void>) => void;
  readonly runOperator: (clock?: Clock) => void;
}

interface CrdSpec {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly scope: string;
  readonly versions: readonly { readonly name: string }[];
}

export type StartServer = (dir: string) => Promise<{ readonly kubeconfig: string; close(): Promise<void> }>;

/** An API server for one test, with the kinds of node tuning, more kinds and the namespace of Tuneds. */
export async function testCluster(
  moreCrds: typeof nodeTuningCrds = [],
  start: StartServer = (dir) => startServer({ dir, storage: "memory" }),
): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), "attune-cluster-"));
  const server = await start(dir);
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  const stop = new AbortController();
  const { signal } = stop;
  const parts: Promise<void>[] = [];
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(parts);
    client.close();
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  const crds = [...nodeTuningCrds, ...moreCrds];
  // A partitioned cluster has some of them.
  for (const crd of crds) await createMissing(client, kinds.customResourceDefinition, crd);
  // kube-apiserver serves a kind some time after it accepted the definition.
  for (const crd of crds) {
    const { group, names, scope, versions } = crd["spec"] as CrdSpec;
    for (const { name } of versions) {
      const kind = untyped(`${group}/${name}`, names.kind, names.plural, scope === "Namespaced");
      await vi.waitFor(() => client.list(kind), { timeout: 100_000, interval: 20 });
    }
  }
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } };
  await createMissing(client, kinds.namespace, namespace);
  const operator = { image: "", agentServiceAccount: "agent", version: "1", leaderElection: false };
  return {
    client,
    dir,
    signal,
    run: (part) => void parts.push(part),
    runOperator: (clock) => void parts.push(runOperator({ client, signal, clock, ...operator })),
  };
}

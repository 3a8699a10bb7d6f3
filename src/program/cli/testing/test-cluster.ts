import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import { startServer } from "../../../embedded/apiserver/server.ts";
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

/** An embedded API server for one test, with the kinds of node tuning, more kinds and the namespace of Tuneds. */
export async function testCluster(moreCrds: typeof nodeTuningCrds = []): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), "attune-cluster-"));
  const server = await startServer({ dir, storage: "memory" });
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
  for (const crd of [...nodeTuningCrds, ...moreCrds]) await client.create(kinds.customResourceDefinition, crd);
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } });
  const operator = { image: "", agentServiceAccount: "agent", version: "1", leaderElection: false };
  return {
    client,
    dir,
    signal,
    run: (part) => void parts.push(part),
    runOperator: (clock) => void parts.push(runOperator({ client, signal, clock, ...operator })),
  };
}

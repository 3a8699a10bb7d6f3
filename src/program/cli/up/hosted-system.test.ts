import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/node-tuning/eventually.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { nodePoolKind } from "../../../domain/node-pool/api.ts";
import { waitingIn } from "./convergence.ts";
import { clustersNamespace, hostedClusterName } from "./hosted-example.ts";
import { twoClusters } from "./hosted-system.ts";

test("a hosted system makes the machines of a NodePool that replaces them, and needs no right that it lacks", async () => {
  const dir = await mkdtemp(join(tmpdir(), "attune-up-"));
  const stop = new AbortController();
  const { signal } = stop;
  const logged: string[] = [];
  const write = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: () => {}, info: () => {}, warn: write, error: write, child: () => log };
  const stage = await twoClusters({ dir, port: 0, nodes: 1, signal, log });
  const client = new HttpClient(await loadConnection({ kubeconfig: join(dir, "kubeconfig"), context: "management" }));
  onTestFinished(async () => {
    client.close();
    stop.abort();
    await stage.stopped;
    await rm(dir, { recursive: true, force: true });
  });
  await stage.createExample();
  const batch = {
    apiVersion: nodePoolKind.apiVersion,
    kind: nodePoolKind.kind,
    metadata: { name: "batch", namespace: clustersNamespace },
    spec: { clusterName: hostedClusterName, replicas: 1, tuningConfig: [{ name: "quiet-memory" }] },
  };
  await client.create(nodePoolKind, batch, { namespace: clustersNamespace });
  const state = await eventually("two nodes have converged", async () => {
    const read = await stage.read();
    return read.nodes.length === 2 && waitingIn(read).length === 0 && read;
  });
  expect(state.nodes.map(({ node, applied }) => `${node} ${applied}`)).toEqual(["node-1 True", "batch-1 True"]);
  expect(state.pools.map(({ pool, nodes, updated }) => ({ pool, nodes, updated }))).toEqual([
    { pool: "batch", nodes: 1, updated: 1 },
    { pool: "workers", nodes: 1, updated: 1 },
  ]);
  expect(logged).toEqual([]);
}, 120_000);

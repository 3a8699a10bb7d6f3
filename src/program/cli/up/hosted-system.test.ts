import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/node-tuning/eventually.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { nodePoolKind } from "../../../domain/node-pool/api.ts";
import { waitingIn } from "./convergence.ts";
import {
  clustersNamespace,
  type HostedExample,
  hostedClusterName,
  smallExample,
  topologyExample,
} from "./hosted-example.ts";
import { twoClusters } from "./hosted-system.ts";
import type { Stage } from "./stage.ts";

/** A hosted system without what its example creates. */
async function running(
  exampleFor: (dir: string) => Promise<HostedExample>,
): Promise<{ stage: Stage; client: HttpClient; logged: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), "attune-up-"));
  const stop = new AbortController();
  const { signal } = stop;
  const logged: string[] = [];
  const write = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: () => {}, info: () => {}, warn: write, error: write, child: () => log };
  const stage = await twoClusters({ dir, port: 0, example: await exampleFor(dir), signal, log });
  const client = new HttpClient(await loadConnection({ kubeconfig: join(dir, "kubeconfig"), context: "management" }));
  onTestFinished(async () => {
    client.close();
    stop.abort();
    await stage.stopped;
    await rm(dir, { recursive: true, force: true });
  });
  return { stage, client, logged };
}

test("a hosted system makes the machines of a NodePool that replaces them, and needs no right that it lacks", async () => {
  const { stage, client, logged } = await running(async () => smallExample(1));
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

test("nodes of a topology are in the NodePools that it names", async () => {
  const topology = `groups:
  - { name: "rt-{}", count: 2, cpus: 16, sockets: 2, pool: rt }
  - { name: plain }
`;
  const { stage, client } = await running(async (dir) => {
    const file = join(dir, "topology.yaml");
    await writeFile(file, topology);
    return topologyExample(file, true);
  });
  expect(stage.example).toEqual(["NodePools   rt (2 nodes)", "            workers (1 node)"]);
  await stage.createExample();
  const state = await eventually("three nodes have converged", async () => {
    const read = await stage.read();
    return read.nodes.length === 3 && waitingIn(read).length === 0 && read;
  });
  expect(state.pools.map(({ pool, nodes }) => `${pool} ${nodes}`)).toEqual(["rt 2", "workers 1"]);
  const { items } = await client.list(nodePoolKind, { namespace: clustersNamespace });
  expect(items.map(({ metadata, spec }) => [metadata.name, spec?.replicas, spec?.tuningConfig])).toEqual([
    ["rt", 2, []],
    ["workers", 1, []],
  ]);
}, 120_000);

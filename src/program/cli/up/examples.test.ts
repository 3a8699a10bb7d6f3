import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../test/node-tuning/eventually.ts";
import { root } from "../../../../test/architecture/imports.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { isTrue } from "../../../language/object/condition.ts";
import { at, text } from "../../../language/object/json.ts";
import { readManifests, readTexts } from "../../manifest/read-manifests.ts";
import { chooseStage } from "./choose-stage.ts";
import { converge, waitingIn } from "./convergence.ts";
import { type ExampleName, examples } from "./examples.ts";
import { exampleNodePools } from "./hosted-example.ts";

/** `attune up --example NAME`, until all nodes and pools have converged. */
async function running(example: ExampleName): Promise<{ readonly admin: HttpClient; readonly profiles: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), "attune-example-"));
  const stop = new AbortController();
  const { signal } = stop;
  const chosen = chooseStage({ example, mode: undefined, nodes: undefined, topology: undefined });
  const stage = await chosen.start({ dir, port: 0, signal, log: noLog });
  onTestFinished(async () => {
    stop.abort();
    await stage.stopped;
    await rm(dir, { recursive: true, force: true });
  });
  await stage.createExample();
  const state = await converge({ read: () => stage.read(), signal, timeoutMs: 100_000 });
  expect(waitingIn(state)).toEqual([]);
  const [cluster] = stage.clusters;
  if (!cluster) throw new Error("no cluster");
  return { admin: cluster.client, profiles: state.nodes.map(({ node, profile }) => `${node} ${profile}`) };
}

describe("the example", { timeout: 300_000 }, () => {
  it("tuned tunes the nodes with its label", async () => {
    const { profiles } = await running("tuned");
    expect(profiles).toEqual(["db-1 database", "db-2 database", "web-1 openshift-node"]);
  });

  it("performance divides the CPUs of the nodes in its pool", async () => {
    const { profiles } = await running("performance");
    const divided = "openshift-node-performance-low-latency";
    expect(profiles).toEqual([`rt-1 ${divided}`, `rt-2 ${divided}`, "worker-1 openshift-node"]);
  });

  it("partitioning gives reserved CPUs to pods that ask for them, and to no others", async () => {
    const { admin } = await running("partitioning");
    const asking = async (): Promise<Record<string, boolean>> => {
      const { items } = await admin.list(kinds.pod, { namespace: "platform" });
      const asks = (pod: object): boolean => JSON.stringify(pod).includes("management.workload.openshift.io/cores");
      return Object.fromEntries(items.map((pod) => [pod.metadata.labels?.["app"] ?? "", asks(pod.spec ?? {})]));
    };
    await eventually("pods of both DaemonSets", async () => Object.keys(await asking()).length === 2);
    expect(await asking()).toEqual({ monitor: true, application: false });
  });

  it("scylla starts its database when the node is tuned for it", async () => {
    const { admin } = await running("scylla");
    await eventually("the database is ready", async () => {
      const { status } = await admin.get(kinds.pod, "scylla-0", { namespace: "db" });
      return isTrue(status?.conditions, "Ready");
    });
  });

  it("hosted has the NodePools and ConfigMaps that attune up creates", async () => {
    const options = { recursive: false, stdin: () => Promise.resolve("") };
    const { manifests, problems } = await readManifests([join(root, "examples/hosted")], options);
    expect(problems).toEqual([]);
    const parsed = manifests.map(({ object }) => object as { data?: { tuning: string } });
    const { configMaps, nodePools } = exampleNodePools(2);
    const content = async (yaml: string): Promise<unknown> =>
      (await readTexts([{ name: "", text: yaml }])).manifests[0]?.object;
    for (const wanted of configMaps) {
      const file = manifests.find(
        ({ object }) => object.kind === "ConfigMap" && object.metadata.name === wanted.metadata.name,
      );
      const tuning = at(file?.object, "data", "tuning");
      expect(await content(text(tuning))).toEqual(await content(wanted.data?.["tuning"] ?? ""));
    }
    expect(parsed).toEqual(expect.arrayContaining(nodePools));
    expect(parsed).toHaveLength(configMaps.length + nodePools.length);
  });

  it("has no file that nobody applies", async () => {
    for (const [name, { files }] of Object.entries(examples))
      expect((await readdir(join(root, "examples", name))).toSorted()).toEqual([...files, "topology.yaml"].toSorted());
  });
});

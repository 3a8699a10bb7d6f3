import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { agentOptions } from "../agent/agent.ts";
import { agentFlags, labFlags } from "../flags.ts";
import { parseArguments } from "../option/flag.ts";
import { lab } from "./lab.ts";
import { Program } from "../testing/program.ts";

let attune: Program;
let dir: string;
let server: ApiServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-lab-"));
  [attune, server] = await Promise.all([Program.build(), startServer({ dir, storage: "memory" })]);
});
afterAll(async () => {
  await attune.remove();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const timeout = { timeout: 120_000 };

async function topology(text: string): Promise<string> {
  const file = join(dir, "topology.yaml");
  await writeFile(file, text);
  return file;
}

describe("attune lab", timeout, () => {
  it("runs nodes and their pods, and deletes the nodes on exit with --cleanup", async () => {
    const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    const file = await topology("groups: [{name: 'big-{}', count: 2, cpus: 32}, {name: small}]");
    const run = attune.start(["lab", "--kubeconfig", server.kubeconfig, "--topology", file, "--cleanup"]);
    await run.printed(/^3 of 3 nodes ready/m);
    const { items } = await client.list(kinds.node);
    expect(items.map(({ metadata, status }) => `${metadata.name} ${status?.capacity?.["cpu"]}`)).toEqual([
      "big-1 32",
      "big-2 32",
      "small 4",
    ]);
    const labels = { app: "x" };
    await client.create(kinds.daemonSet, {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "x", namespace: "default" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "x" }] } },
      },
    });
    for await (const event of client.watch(kinds.daemonSet, { sendInitialEvents: true, resourceVersion: "" }))
      if (event.type === "MODIFIED" && event.object.status?.numberReady === 3) break;
    expect(await run.stop("SIGTERM")).toMatchObject({ code: 0, stderr: "" });
    expect((await client.list(kinds.node)).items).toEqual([]);
    client.close();
  });

  it.each([
    [[], "--nodes or --topology is required"],
    [["--nodes", "1", "--topology", "x"], "--nodes and --topology cannot be used together"],
  ])("refuses %j", async (args, message) => {
    await expect(lab(parseArguments(labFlags, args, {}))).rejects.toThrow(message);
  });

  it("refuses to run no nodes", () => {
    expect(() => parseArguments(labFlags, ["--nodes", "0"], {})).toThrow("--nodes 0: not a number of nodes");
  });

  it.each([
    ["groups: [{name: w, cpus: 0}]", "groups[0].cpus: must be a number from 1 to 4096"],
    ["groups: [", "line 1: "],
  ])("reports where a topology is wrong: %s", async (text, message) => {
    const file = await topology(text);
    await expect(lab(parseArguments(labFlags, ["--topology", file], {}))).rejects.toThrow(
      `--topology ${file}: ${message}`,
    );
  });
});

describe("the arguments of an agent's container", () => {
  const read = (args: string[], env: Record<string, string>): object => {
    const flags = parseArguments(agentFlags, args, env);
    return { root: flags.root, ...agentOptions(flags) };
  };

  it.each([
    [["--node", "a", "--root", "/host"], {}, { node: "a", root: "/host" }],
    [["--engine=native"], { NODE_NAME: "b" }, { node: "b", engine: "native" }],
    [["--protocol", "shipped", "-n", "ns"], { NODE_NAME: "b" }, { node: "b", protocol: "shipped", namespace: "ns" }],
    [["--rollback-on-exit"], { NODE_NAME: "b" }, { node: "b", rollbackOnExit: true }],
    [["--exec", "builtin"], { NODE_NAME: "b" }, { node: "b", exec: "builtin" }],
    [["--boot-arguments", "report"], { NODE_NAME: "b" }, { node: "b", bootArguments: "report" }],
    [["--resync-interval", "90s"], { NODE_NAME: "b" }, { node: "b", resyncIntervalMs: 90_000 }],
    [["--machine-config"], { NODE_NAME: "b" }, { node: "b", machineConfig: true }],
  ])("%j with environment %j are read", (args, env, wanted) => {
    const usual = {
      root: "/",
      engine: "auto",
      exec: "allow",
      bootArguments: "apply",
      protocol: "documented",
      rollbackOnExit: false,
      machineConfig: false,
      resyncIntervalMs: 600_000,
      namespace: "openshift-cluster-node-tuning-operator",
    };
    expect(read(args, env)).toEqual({ ...usual, ...wanted });
  });

  it.each([
    [[], "--node is required, or NODE_NAME in the environment"],
    [["--node", "a", "--engine", "x"], "--engine x: not one of auto, native, tuned"],
    [["--node", "a", "--exec", "x"], "--exec x: not one of allow, builtin, none"],
    [["--node", "a", "--protocol", "x"], "--protocol x: not one of documented, shipped"],
    [["--node", "a", "--resync-interval", "10"], "--resync-interval 10: not a duration such as 30s, 10m or 1h"],
    [["--node", "a", "--nosuch"], "unknown option '--nosuch'"],
    [["--node", "a", "--kubeconfig", "f"], "unknown option '--kubeconfig'"],
  ])("%j are refused", (args, message) => {
    expect(() => read(args, {})).toThrow(message);
  });
});

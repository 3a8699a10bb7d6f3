import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { testCluster, type TestCluster } from "../testing/test-cluster.ts";
import { exampleLabel, exampleTuned } from "../up/worked-example.ts";
import { planOn, type PlanOptions } from "./plan.ts";
import { readUrl } from "./read-url.ts";

async function clusterWithNode(): Promise<TestCluster> {
  const cluster = await testCluster();
  const labels = { "kubernetes.io/os": "linux", [exampleLabel]: "" };
  await cluster.client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels } });
  await writeFile(join(cluster.dir, "tuned.yaml"), writeYaml(exampleTuned()));
  return cluster;
}

async function planned({ client, signal }: TestCluster, options: Omit<PlanOptions, "output">) {
  const terminal = new RecordingTerminal();
  const context = { terminal, stdin: () => Promise.resolve(""), signal };
  const code = await planOn(client, { output: "table", ...options }, context);
  return { code, ...terminal, lines: terminal.lines };
}

describe("attune plan --delete", () => {
  it("shows where nodes go back to, and deletes nothing", async () => {
    const cluster = await clusterWithNode();
    const { client, dir } = cluster;
    await client.create(tunedKind, exampleTuned());
    const { code, stdout } = await planned(cluster, { filename: [join(dir, "tuned.yaml")], delete: true });
    expect(code).toBe(2);
    expect(stdout.replaceAll(`${dir}/`, "")).toMatch(
      /^- Tuned \S+\/quiet-memory would be deleted \(tuned.yaml\)\n\nNode n: profile quiet-memory → openshift-node\n/,
    );
    expect(stdout).toMatch(/\nPlan: 1 to delete; 1 of 1 node changes; none reboots\. Nothing has been changed\.\n$/);
    expect(
      (await client.get(tunedKind, "quiet-memory", { namespace: tuningNamespace })).metadata.deletionTimestamp,
    ).toBe(undefined);
  });

  it("skips what the cluster does not have", async () => {
    const cluster = await clusterWithNode();
    const { code, lines } = await planned(cluster, { filename: [join(cluster.dir, "tuned.yaml")], delete: true });
    expect(code).toBe(0);
    expect(lines.join("\n")).toMatch(/Tuned quiet-memory \| the cluster does not have it/);
    expect(lines).toContain("Nothing would change.");
  });
});

describe("attune plan -k", () => {
  async function overlay({ dir }: TestCluster, more = ""): Promise<string> {
    const folder = join(dir, "overlay");
    await mkdir(folder);
    await writeFile(join(folder, "tuned.yaml"), writeYaml(exampleTuned()));
    await writeFile(join(folder, "kustomization.yaml"), `resources: [tuned.yaml]\nnamePrefix: my-\n${more}`);
    return folder;
  }

  /** As kubectl is on the path of a user. */
  function withKubectl(): void {
    vi.stubEnv("PATH", [dirname(process.env.ATTUNE_KUBECTL ?? ""), process.env.PATH].join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  it("shows what a kustomization would change", async () => {
    withKubectl();
    const cluster = await clusterWithNode();
    const { code, stdout } = await planned(cluster, { kustomize: await overlay(cluster) });
    expect([code, stdout.split("\n")[0]]).toEqual([
      2,
      `+ Tuned ${tuningNamespace}/my-quiet-memory would be created (-k ${cluster.dir}/overlay)`,
    ]);
  });

  it("repeats what kubectl says of a kustomization that it cannot build", async () => {
    withKubectl();
    const cluster = await clusterWithNode();
    const kustomize = await overlay(cluster, "bases: [../gone]\n");
    await expect(planned(cluster, { kustomize })).rejects.toThrow(/^-k \S+: kubectl kustomize: .*gone/);
  });

  it("says without kubectl what else would do", async () => {
    vi.stubEnv("PATH", "/nonexistent");
    onTestFinished(() => void vi.unstubAllEnvs());
    const cluster = await clusterWithNode();
    await expect(planned(cluster, { kustomize: "." })).rejects.toThrow(
      "-k .: needs kubectl, which is not on the path: install it, or use kustomize build DIR | attune plan -f -",
    );
  });

  it("is used instead of -f", async () => {
    const cluster = await clusterWithNode();
    for (const options of [{}, { filename: ["a"], kustomize: "b" }])
      await expect(planned(cluster, options)).rejects.toThrow(/^exactly one of -f .* and -k .* is required$/);
  });
});

describe("attune plan -f with an address", () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("reads what is there", async () => {
    const cluster = await clusterWithNode();
    const url = await serve((_, response) => void response.end(writeYaml(exampleTuned())));
    const { code, stdout } = await planned(cluster, { filename: [`${url}/tuned.yaml`] });
    expect([code, stdout.split("\n")[0]]).toEqual([
      2,
      `+ Tuned ${tuningNamespace}/quiet-memory would be created (${url}/tuned.yaml)`,
    ]);
  });

  it.each<[string, RequestListener, RegExp]>([
    ["a server that has no such file", (_, response) => void response.writeHead(404).end(), /the server responded 404/],
    ["more than manifests have", (_, response) => void response.end("x".repeat(2000)), /it has more than 1000 bytes$/],
    ["a server that never answers", () => {}, /no response within 0\.05 s$/],
    ["a connection that breaks", (request) => void request.socket.destroy(), /: (?!.*fetch failed).+$/],
  ])("reports %s", async (_, listener, message) => {
    const url = await serve(listener);
    await expect(readUrl(url, { mostBytes: 1000, timeoutMs: 50 })).rejects.toThrow(message);
  });
});

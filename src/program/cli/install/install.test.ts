import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import { Program } from "../testing/program.ts";

let attune: Program;
let dir: string;
let server: ApiServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-install-"));
  [attune, server] = await Promise.all([Program.build(), startServer({ dir, storage: "memory" })]);
});
afterAll(async () => {
  await attune?.remove();
  await server?.close();
  await rm(dir, { recursive: true, force: true });
});

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

describe("attune install", () => {
  const mistakes: [string[], RegExp][] = [
    [["install", "--mode", "hosted", "--chart", "x"], /^error: --chart: not supported with --mode hosted/],
    [["install", "--mode", "sideways"], /^error: --mode sideways: not one of auto, standalone, plain/],
    [["install", "--protocol", "x"], /^error: --protocol x: not one of documented, shipped/],
    [["install", "-n", "Not_A_Name"], /^error: --namespace Not_A_Name: /],
    [["install", "-o", "xml"], /^error: --output xml: not one of yaml, json/],
    [["install", "--dry-run"], /^error: --dry-run requires --apply/],
    [["install", "--replicas", "0"], /^error: --replicas 0: not a number of replicas/],
    [["install", "--chart", "x", "--apply"], /^error: --chart reads no cluster and applies nothing/],
    [["install", "--chart", ""], /^error: --chart: needs the name of a folder/],
    [["install", "--chart", "x", "--dry-run"], /^error: --dry-run requires --apply/],
    [["crds", "-o", "xml"], /^error: --output xml: not one of yaml, json/],
    [
      ["operator", "--mode", "hosted"],
      /^error: --mode hosted: runs in no pod of the management cluster; use --management-kubeconfig/,
    ],
    [["operator", "--protocol", "x"], /^error: --protocol x: not one of documented, shipped/],
  ];
  it.each(mistakes)("%j is refused", async (args, error) => {
    const { code, stdout, stderr } = await attune.run(args);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(error)]);
  });

  it("prints the manifests, and reads no cluster without --kubeconfig", async () => {
    const { code, stdout, stderr } = await attune.run(["install", "--image", "registry.example/attune:1"], {
      KUBECONFIG: "/nowhere",
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("image: registry.example/attune:1");
    expect(stdout.match(/^kind: .*/gm)).toEqual(expect.arrayContaining(["kind: Namespace", "kind: Deployment"]));
  });

  it("writes a Helm chart into a new folder, and into no other", async () => {
    const folder = join(dir, "a chart");
    const { code, stdout, stderr } = await attune.run([
      "install",
      "--chart",
      folder,
      "--mode",
      "plain",
      "-n",
      "tuning",
    ]);
    const command = `helm install attune '${folder}' --namespace tuning --create-namespace\n`;
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining(command)]);
    expect((await readdir(folder)).toSorted()).toEqual([
      "Chart.yaml",
      "crds",
      "templates",
      "values.schema.json",
      "values.yaml",
    ]);
    expect(await readFile(join(folder, "values.yaml"), "utf8")).toContain("\nmode: plain\n");
    const again = await attune.run(["install", "--chart", folder]);
    expect([again.code, again.stderr]).toEqual([
      1,
      `error: --chart ${folder}: the folder is not empty: name another, or empty it\n`,
    ]);
  });

  it("applies the manifests, and reports each object", async () => {
    const install = ["install", "--apply", "--mode", "standalone", "--kubeconfig", server.kubeconfig];
    const trial = await attune.run([...install, "--dry-run"]);
    expect([trial.code, trial.stderr]).toEqual([0, ""]);
    expect(lines(trial.stdout).filter((line) => !line.endsWith(" created (dry run)"))).toEqual([]);
    const first = await attune.run(install);
    expect(first.stdout).toBe(trial.stdout.replaceAll(" (dry run)", ""));
    const again = await attune.run(install);
    expect([again.stdout, again.stderr]).toEqual([first.stdout.replaceAll(" created", " unchanged"), ""]);

    const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    onTestFinished(() => client.close());
    await client.create(tunedKind, {
      apiVersion: "tuned.openshift.io/v1",
      kind: "Tuned",
      metadata: { name: "default", namespace: tuningNamespace },
      spec: { managementState: "Removed" },
    });
    const { code, stderr } = await attune.run(install);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: .* so no node is tuned: kubectl -n .*\n$/)]);
  });

  it("logs the features of the cluster, with JSON lines only, and runs until SIGTERM", async () => {
    const run = attune.start(["operator", "--kubeconfig", server.kubeconfig, "--probe-address", "127.0.0.1:0"]);
    await run.printed(/machine config pools: rolled out by Attune, cluster operators: no/, "stderr");
    const { code, stdout, stderr } = await run.stop("SIGTERM");
    expect([code, stdout]).toEqual([0, ""]);
    const messages = lines(stderr).map((line) => (JSON.parse(line) as { message: string }).message);
    expect(messages[0]).toMatch(/^attune \S+ operator, mode auto, on https:\S+$/);
  });
});

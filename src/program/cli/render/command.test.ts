import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Program } from "../testing/program.ts";

let attune: Program;
let dir: string;

beforeAll(async () => {
  attune = await Program.build();
});
afterAll(() => attune.remove());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "attune-render-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [folder, file, text] of [
    ["a", "profile.yaml", profile],
    ["b", "tuned.json", JSON.stringify(tuned)],
    ["b", "remarks.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: |\n    text\n"],
  ] as const) {
    mkdirSync(join(dir, folder), { recursive: true });
    writeFileSync(join(dir, folder, file), text);
  }
});

const profile = `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata:
  name: one
spec:
  cpu:
    isolated: 1-3
    reserved: "0"
  nodeSelector:
    node-role.kubernetes.io/worker: ""
`;
/** Does not depend on the machine it is resolved on. */
const tuned = {
  apiVersion: "tuned.openshift.io/v1",
  kind: "Tuned",
  metadata: { name: "t" },
  spec: {
    profile: [{ name: "t", data: "[bootloader]\ncmdline_t=quiet\n" }],
    recommend: [
      { profile: "t", priority: 10, machineConfigLabels: { "machineconfiguration.openshift.io/role": "worker" } },
    ],
  },
};
const four = ["one_kubeletconfig.yaml", "one_machineconfig.yaml", "one_runtimeclass.yaml", "one_tuned.yaml"];

const here = (words: readonly string[]): string[] => words.map((word) => word.replaceAll("DIR", dir));
const made = (): string[] => readdirSync(join(dir, "out")).toSorted();

describe("attune render", () => {
  it("reads flags, and ignores those of klog and of its client, as the Go program does", async () => {
    const flags = ["--asset-input-dir", "DIR/a,DIR/b", "--asset-output-dir", "DIR/out", "-v=4", "--logtostderr"];
    const more = ["--kubeconfig=/gone", "--v", "2", "--alsologtostderr=false", "--vmodule=a=1", "--owner-ref=none"];
    expect(await attune.run(["render", ...here([...flags, ...more])])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(made()).toEqual(four);
  });

  it("reads the environment", async () => {
    const [ASSET_INPUT_DIR, ASSET_OUTPUT_DIR] = here(["DIR/a,DIR/b", "DIR/out"]);
    const env = { ASSET_INPUT_DIR, ASSET_OUTPUT_DIR, OWNER_REF: "label-name" };
    expect(await attune.run(["render"], env)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(made()).toEqual(four);
  });

  it("writes only the boot arguments of a pool with --mcp-name", async () => {
    const flags = here(["--asset-input-dir", "DIR/a", "--asset-input-dir", "DIR/b", "--asset-output-dir", "DIR/out"]);
    const { code } = await attune.run(["render", ...flags, "--mcp-name", "worker"], {
      CLUSTER_NODE_TUNED_BOOTSTRAP_SAFE_ENV: "1",
    });
    expect([code, made()]).toEqual([0, ["kernelcmdargs_machineconfig_kargs.yaml"]]);
  });

  it("ignores surplus arguments with a warning, as the Go program does without one", async () => {
    const flags = here(["--asset-input-dir", "DIR/a", "surplus", "--asset-output-dir", "DIR/out", "more"]);
    expect(await attune.run(["render", ...flags])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "warning: ignored arguments: surplus more\n",
    });
    expect(made()).toEqual(four);
  });

  it("render-bootcmd-mc writes the boot arguments of a pool, and reads no variables of render", async () => {
    const inputs = here(["--asset-input-dir", "DIR/a", "--asset-input-dir=DIR/b", "--kubeconfig", "/gone", "surplus"]);
    const flags = [...inputs, ...here(["--asset-output-dir", "DIR/out", "--mcp-name=worker", "-v=1"])];
    const env = { OWNER_REF: "", ASSET_INPUT_DIR: "/gone", CLUSTER_NODE_TUNED_BOOTSTRAP_SAFE_ENV: "1" };
    expect(await attune.run(["render-bootcmd-mc", ...flags], env)).toMatchObject({ code: 0, stdout: "" });
    expect(made()).toEqual(["kernelcmdargs_machineconfig_kargs.yaml"]);
  });

  it.each([
    [["--asset-output-dir", "DIR/out"], /^error: required option '--mcp-name <pool>' not specified/],
    [["--mcp-name", "worker"], /^error: required option '--asset-output-dir <dir>' not specified/],
    [["--mcp-name", "worker", "--asset-output-dir", "DIR/out", "--owner-ref", "k8s"], /^error: unknown option/],
  ])("render-bootcmd-mc answers %j with an error", async (args, error) => {
    const { code, stderr } = await attune.run(["render-bootcmd-mc", ...here(args)]);
    expect(stderr).toMatch(error);
    expect([code, readdirSync(dir).toSorted()]).toEqual([1, ["a", "b"]]);
  });

  const mistakes: [string[], Record<string, string>, RegExp][] = [
    [["--asset-input-dir", "DIR/a"], {}, /^error: --asset-output-dir is required/],
    [
      ["--asset-input-dir", "DIR/gone", "--asset-output-dir", "DIR/out"],
      {},
      /^error: --asset-input-dir \S+gone: no such folder\n$/,
    ],
    [
      ["--asset-input-dir", "DIR/a", "--asset-output-dir", "DIR/out"],
      { OWNER_REF: "" },
      /^error: --owner-ref "": not one of/,
    ],
    [
      ["--asset-input-dir", "DIR/a", "--asset-output-dir", "DIR/a/profile.yaml"],
      {},
      /^error: mkdir \S+profile\.yaml: .*\(EEXIST\)\n$/,
    ],
    [
      ["--asset-input-dir", "DIR/a", "--asset-output-dir", "DIR/out", "--mcp-name", "gone"],
      {},
      /^error: --mcp-name gone: /,
    ],
    [
      ["--asset-input-dir", "DIR/a", "--asset-output-dir", "DIR/out", "--mcp-name", "worker", "--root", "DIR/gone"],
      {},
      /^error: --root \S+gone: no such directory\n$/,
    ],
    [["--bogus"], {}, /^error: unknown option '--bogus'/],
  ];
  it.each(mistakes)("answers %j with an error and exit code 1", async (args, env, error) => {
    const { code, stdout, stderr } = await attune.run(["render", ...here(args)], env);
    expect(stderr).toMatch(error);
    expect([code, stdout, readdirSync(dir).toSorted()]).toEqual([1, "", ["a", "b"]]);
  });
});

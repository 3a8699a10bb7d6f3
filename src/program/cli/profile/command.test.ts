import { execFileSync } from "node:child_process";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import { topologyFiles } from "../../../language/cpu/testing/topology-files.ts";
import { readYaml } from "../../../language/object/yaml.ts";
import { Program } from "../testing/program.ts";
import { FakeRoot } from "../tuned/testing/fake-root.ts";

let attune: Program;
let dir: string;
beforeAll(async () => {
  attune = await Program.build();
  dir = await mkdtemp(join(tmpdir(), "attune-profile-"));
});
afterAll(async () => {
  await attune.remove();
  await rm(dir, { recursive: true, force: true });
});

describe("attune profile", () => {
  it("exits on the first signal while it reads standard input", async () => {
    const pipe = join(dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    const run = attune.start(["profile", "check", "-f", pipe]);
    // Opened as soon as the other end is.
    const writer = await open(pipe, "w");
    expect(await run.stop("SIGINT")).toMatchObject({ signal: "SIGINT", stdout: "", stderr: "" });
    await writer.close();
  });

  it("reads the cluster of $KUBECONFIG where no source is named", async () => {
    const flags = ["--mcp-name", "rt", "--reserved-cpu-count", "2", "--rt-kernel=false"];
    const KUBECONFIG = join(dir, "gone");
    const { code, stderr } = await attune.run(["profile", "create", ...flags], { KUBECONFIG });
    expect([code, stderr]).toEqual([1, expect.stringContaining(KUBECONFIG)]);
    const none = await attune.run(["profile", "create", ...flags], { KUBECONFIG: "" });
    expect(none.stderr).toMatch(/^error: --must-gather-dir-path, .* or \$KUBECONFIG is required\n/);
  });

  it("accepts boolean flags with and without values", async () => {
    const topology = parseTopology({ numaNodes: [{ id: 0, cores: ["0/0:0,4", "0/1:1,5", "0/2:2,6", "0/3:3,7"] }] });
    const { files } = topologyFiles(topology ?? { numaNodes: [], offline: [] });
    const root = await FakeRoot.make({ ...Object.fromEntries(files), "/proc/sys/kernel/arch": "x86_64\n" });
    const snapshot = join(dir, "worker-1.tgz");
    expect(await attune.run(["agent", "--sysinfo", snapshot, "--root", root.path])).toMatchObject({
      code: 0,
      stderr: "",
    });
    const flags = ["--reserved-cpu-count=2", "--offlined-cpu-count", "2", "--rt-kernel", "--disable-ht=false"];
    const words = ["--power-consumption-mode", "Low-Latency", "--user-level-networking=true", "--profile-name", "fast"];
    const given = [...flags, ...words, "--mcp-name", "rt", "--snapshot", snapshot];
    const { code, stdout, stderr } = await attune.run(["profile", "create", ...given]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(readYaml(stdout)).toMatchObject({
      metadata: { name: "fast" },
      spec: {
        cpu: { reserved: "0,4", offlined: "5-6", isolated: "1-3,7" },
        realTimeKernel: { enabled: true },
        net: { userLevelNetworking: true },
        workloadHints: { realTime: true },
      },
    });
  });

  it("answers a negative count and a missing folder with an error and exit code 1", async () => {
    const given = ["--mcp-name", "x", "--rt-kernel=false", "--must-gather-dir-path", join(dir, "gone")];
    const outcomes = [
      await attune.run(["profile", "create", ...given, "--reserved-cpu-count", "-2"]),
      await attune.run(["profile", "info", "--must-gather-dir-path", join(dir, "gone")]),
      await attune.run(["profile", "create"]),
    ];
    for (const { code, stdout, stderr } of outcomes) {
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^(error: .*\n)+$/);
    }
  });
});

describe("attune profile info without a source", () => {
  it("reads the cluster of $KUBECONFIG, and without one says how to name one", async () => {
    const kubeconfig = join(dir, "kubeconfig");
    const config = {
      clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "a", user: { token: "t" } }],
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    };
    await writeFile(kubeconfig, JSON.stringify({ kind: "Config", "current-context": "a", ...config }));
    const env = { HOME: dir, XDG_STATE_HOME: dir };
    const unreachable = await attune.run(["profile", "info"], { ...env, KUBECONFIG: kubeconfig });
    expect(unreachable.stderr).toMatch(/^error: cannot reach the API server at 127\.0\.0\.1:1: /);
    const none = await attune.run(["profile", "info"], { ...env, KUBECONFIG: "" });
    expect(none).toMatchObject({ code: 1, stderr: "error: no cluster: run attune up, or pass --kubeconfig\n" });
  });

  it("names its defaults in the help", async () => {
    const { stdout } = await attune.run(["profile", "info", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "(default: must-gather, if it exists and no other source is given)",
    );
  });
});

describe("attune agent --sysinfo", () => {
  it("writes a snapshot of this machine from which a profile can be created", async () => {
    const file = join(dir, "here.tgz");
    expect(await attune.run(["agent", "--sysinfo", file])).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    const { stdout } = await attune.run(["profile", "info", "--json", "--snapshot", file]);
    expect(JSON.parse(stdout)).toMatchObject([{ nodes: [{ name: "here", cpus_count: cpus().length }] }]);
    const written = await readFile(file);
    expect(written.length).toBeLessThan(4 * 1024 * 1024);
  });

  it("writes to standard output, and nothing if --root is not a node", async () => {
    const { code, stdout } = await attune.run(["agent", "--sysinfo", "-"]);
    expect([code, stdout.charCodeAt(0)]).toEqual([0, 0x1f]);
    const nowhere = await attune.run(["agent", "--sysinfo", join(dir, "none.tgz"), "--root", dir]);
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: --root \S+: no CPUs found below it/),
    });
    await expect(readFile(join(dir, "none.tgz"))).rejects.toThrow(/ENOENT/);
  });
});

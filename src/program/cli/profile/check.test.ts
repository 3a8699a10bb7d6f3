import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { check, type CheckOptions } from "./check.ts";
import { writeSupportData } from "./testing/support-data.ts";

const { signal } = new AbortController();
const selector = "node-role.kubernetes.io/rt";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-check-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function profile(name: string, cpu: string, more = ""): string {
  const spec = `spec: { cpu: ${cpu}, nodeSelector: { ${selector}: "" }${more} }`;
  return `apiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata: { name: ${name} }\n${spec}\n`;
}

async function checked(
  text: string,
  options: Partial<CheckOptions> = {},
): Promise<{ code: number; printed: RecordingTerminal }> {
  const printed = new RecordingTerminal();
  const around = { terminal: printed, signal, stdin: () => Promise.resolve(text) };
  return { code: await check({ filename: ["-"], ...options }, around), printed };
}

describe("attune profile check", () => {
  it("has no findings for a good profile", async () => {
    const { code, printed } = await checked(profile("fast", '{ reserved: "0", isolated: "1-3" }'));
    expect([code, printed.stderr, printed.stdout]).toEqual([
      0,
      "",
      "PerformanceProfile fast (standard input)\n  nothing found\n",
    ]);
  });

  it("prints errors and warnings, and fails only for errors", async () => {
    const { code, printed } = await checked(profile("fast", '{ reserved: "0-1", isolated: "1-3" }'));
    expect([code, printed.stderr]).toEqual([1, ""]);
    expect(printed.stdout).toMatch(/^ {2}error {3}CpuPoolsOverlap {3}spec\.cpu\.isolated: Forbidden: CPU 1 /m);
    const unusual = await checked(
      profile("fast", '{ reserved: "0", isolated: "1-3" }', ", additionalKernelArgs: [isolcpus=1]"),
    );
    expect(unusual.code).toBe(0);
    expect(unusual.printed.stdout).toMatch(/^ {2}warning /m);
  });

  it("checks profiles against the nodes of a must-gather", async () => {
    const topology = parseTopology({ numaNodes: [{ id: 0, cores: ["0/0:0,2", "0/1:1,3"] }] });
    if (!topology) throw new Error("no topology");
    const metadata = { name: "rt-1", labels: { [selector]: "" } };
    const node = { apiVersion: "v1", kind: "Node", metadata, status: { nodeInfo: { architecture: "amd64" } } };
    const pool = {
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfigPool",
      metadata: { name: "rt", labels: { rt: "" } },
      spec: { nodeSelector: { matchLabels: { [selector]: "" } } },
    };
    await writeSupportData(dir, { nodes: [node], pools: [pool], topologies: new Map([["rt-1", topology]]) });
    const options = { mustGatherDirPath: dir, output: "json" } as const;
    const { code, printed } = await checked(profile("fast", '{ reserved: "0", isolated: "1-4" }'), options);
    expect(code).toBe(1);
    const [found] = JSON.parse(printed.stdout) as [{ findings: { name: string; field: string }[] }];
    expect(found.findings.map(({ name, field }) => [name, field])).toEqual([
      ["MachineConfigNotSelected", "spec.nodeSelector"],
      ["CpuDoesNotExist", "spec.cpu.isolated"],
      ["CoreIsSplit", "spec.cpu.isolated"],
    ]);
  });

  it("finds profiles that conflict with each other", async () => {
    const cpu = '{ reserved: "0", isolated: "1-3" }';
    const { code, printed } = await checked(`${profile("a", cpu)}---\n${profile("rt-a", cpu)}`);
    expect(code).toBe(1);
    expect(printed.stdout.match(/NodeSelectorTaken|NameClashes/g)).toHaveLength(4);
  });

  it("checks several profiles of any version together, and ignores other kinds", async () => {
    const old = profile("old", '{ reserved: "0", isolated: "1-3" }')
      .replace("/v2", "/v1alpha1")
      .replace(selector, "a/b");
    const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n";
    const file = join(dir, "profiles.yaml");
    await writeFile(file, [profile("fast", '{ reserved: "0", isolated: "1-3" }'), old, other].join("---\n"));
    const { code, printed } = await checked("", { filename: [dir] });
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(printed.stdout.match(/^PerformanceProfile \w+/gm)).toEqual([
      "PerformanceProfile fast",
      "PerformanceProfile old",
    ]);
  });

  it.each([
    [
      "no profile",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n",
      "no PerformanceProfile in -: there are objects of ConfigMap; for ConfigMaps of NodePools use attune plan",
    ],
    ["a version of its own", profile("x", "{}").replace("/v2", "/v3"), "performance.openshift.io/v3 is no version"],
    ["no YAML", "a: [", "standard input: "],
  ])("refuses %s", async (_, text, why) => {
    const { code, printed } = await checked(text);
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toContain(why);
  });
});

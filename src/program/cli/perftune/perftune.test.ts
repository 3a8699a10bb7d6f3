import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CpuTopology } from "../../../language/cpu/cpu-topology.ts";
import { topologyFiles } from "../../../language/cpu/testing/topology-files.ts";
import { parseArguments } from "../option/flag.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { perftuneFlags } from "./flags.ts";
import { perftune } from "./perftune.ts";

/** Four cores with two threads each. */
const machine: CpuTopology = {
  offline: [],
  numaNodes: [{ id: 0, cores: [0, 1, 2, 3].map((id) => ({ id, socket: 0, cpus: [id, id + 4] })) }],
};

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "attune-perftune-"));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function putMachine(): Promise<void> {
  for (const [path, text] of topologyFiles(machine).files) await put(path, text);
  await put("/sys/devices/system/cpu/cpu0/topology/thread_siblings", "11\n");
  await put("/proc/sys/kernel/random/boot_id", "5e3f0c1a-0000-4000-8000-000000000000\n");
}

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const terminal = new RecordingTerminal();
  const flags = parseArguments(perftuneFlags, ["--root", root, ...args], {});
  const code = await perftune(flags, terminal);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

describe("attune perftune", () => {
  it.each([
    ["--get-irq-cpu-mask", [], "0x00000001\n"],
    ["--get-cpu-mask", [], "0x000000fe\n"],
    ["--get-irq-cpu-mask", ["--mode", "sq_split"], "0x00000011\n"],
    ["--get-irq-cpu-mask", ["--irq-cpu-mask", "0x00000000,0x3"], "0x00000000,0x3\n"],
    ["--get-cpu-mask", ["--irq-cpu-mask", "0x3", "--dry-run"], "# 0x000000fc\n"],
    ["--get-cpu-mask-quiet", ["--mode", "sq", "--cpu-mask", "0x1"], "0x0\n"],
  ])("%s %j prints %j", async (query, args, mask) => {
    await putMachine();
    expect(await run("--tune", "net", query, ...args)).toEqual({ code: 0, stdout: mask, stderr: "" });
  });

  it.each([
    ["no component", ["--get-cpu-mask"], "At least one tune mode MUST be given."],
    ["a zero mask", ["--tune", "net", "--get-cpu-mask", "--mode", "sq", "--cpu-mask", "0x1"], "zero mask for compute"],
    [
      "IRQ CPUs that the machine does not have",
      ["--tune", "net", "--irq-cpu-mask", "0x100"],
      "IRQ CPU mask 0x100 is not a subset",
    ],
    [
      "IRQ CPUs of the largest machine",
      ["--tune", "net", "--irq-cpu-mask", Array.from({ length: 2048 }, () => "0xffffffff").join(",")],
      "IRQ CPU mask 0xffffffff,",
    ],
    ["disks without any", ["--tune", "disks"], "'disks' tuning was requested but neither directories nor devices"],
    [
      "a directory that is missing",
      ["--tune", "disks", "--dir", "/none"],
      "'disks' tuning was requested but no disks were found: /none",
    ],
    [
      "a card that is missing",
      ["--tune", "net", "--nic", "eth9"],
      "--nic eth9: this host has no such network interface",
    ],
    ["a path as a card", ["--tune", "net", "--nic", "../../eth0"], "Bad 'nic' value \"../../eth0\""],
    ["a card of two lines", ["--tune", "net", "--nic", "eth0\nx"], String.raw`Bad 'nic' value "eth0\nx"`],
    ["a directory with ..", ["--tune", "disks", "--dir", "/data/../etc"], "Bad 'dir' value"],
    ["a relative directory", ["--tune", "disks", "--dir", "data"], "Bad 'dir' value"],
    ["a path as a disk", ["--tune", "disks", "--dev", "../sda"], "Bad 'dev' value"],
    ["a number as a mask", ["--tune", "net", "--cpu-mask", "15"], "Bad 'cpu_mask' value"],
    ["a mask without end", ["--tune", "net", "--cpu-mask", "0x1,".repeat(100_000) + "0x1"], "Bad 'cpu_mask' value"],
    ["no number of queues", ["--tune", "net", "--num-rx-queues", "0"], "Bad 'num_rx_queues' value"],
    ["all memory for TCP", ["--tune", "net", "--tcp-mem-fraction", "1"], "Bad 'tcp_mem_fraction' value"],
  ])("refuses %s in one line, with exit code 1", async (_, args, error) => {
    await putMachine();
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.slice(0, 7 + error.length)).toBe(`error: ${error}`);
    expect(stderr.split("\n")).toHaveLength(2);
    expect(stderr.length).toBeLessThan(400);
  });

  it("exits with 3 where the kernel does not show the topology, and mode auto needs it", async () => {
    await put("/proc/cpuinfo", "processor\t: 0\n\nprocessor\t: 1\n");
    expect((await run("--tune", "net", "--get-cpu-mask")).code).toBe(3);
    expect(await run("--tune", "net", "--get-cpu-mask", "--mode", "sq")).toMatchObject({
      code: 0,
      stdout: "0x00000002\n",
    });
  });

  it("dumps options that it reads back", async () => {
    await putMachine();
    const { stdout } = await run("--tune", "net", "--mode", "sq_split", "--num-rx-queues", "2", "--dump-options-file");
    expect(stdout).toBe(`cpu_mask: "0x000000ff"
irq_core_auto_detection_ratio: 16
irq_cpu_mask: "0x00000011"
nic:
  - eth0
num_rx_queues: "2"
tune:
  - net
`);
    await put("/options.yaml", stdout);
    const again = await run("--options-file", join(root, "options.yaml"), "--dump-options-file");
    expect(again).toEqual({ code: 0, stdout, stderr: "" });
  });

  it.each([
    [
      "aliases that multiply",
      `a: &a [${"x,".repeat(50)}]\nb: &b [${"*a,".repeat(50)}]\nc: &c [${"*b,".repeat(50)}]\ntune: [${"*c,".repeat(50)}]`,
    ],
    ["deep nesting", "[".repeat(10_000)],
    ["a list of lists", "tune: [[net]]"],
    ["a list at the top", "- net"],
    ["a map as a name", "tune: net\nnic: {__proto__: eth0}"],
    ["a long name", `tune: net\nnic: ${"x".repeat(500_000)}`],
    ["2 MiB", `tune: net # ${"x".repeat(2 ** 21)}`],
  ])("refuses an options file with %s", async (_, text) => {
    await putMachine();
    await put("/options.yaml", text);
    const { code, stdout, stderr } = await run("--options-file", join(root, "options.yaml"), "--get-cpu-mask");
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 1, stdout: "", lines: 2 });
    expect(stderr.length).toBeLessThan(400);
  });

  it("reads no more of an endless options file than one may have", async () => {
    await expect(run("--options-file", "/dev/zero")).resolves.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("larger than 1 MiB"),
    });
  });

  it.each(["/dev/null/x", tmpdir()])("names the options file %s that it cannot read", async (path) => {
    await expect(run("--options-file", path)).rejects.toThrow(`options file ${path}: `);
  });

  it("warns of keys that are no options", async () => {
    await putMachine();
    await put("/options.yaml", "tune: net\nmode: mq\n__proto__: {}\nswap: 1\n");
    const { code, stderr } = await run("--options-file", join(root, "options.yaml"), "--get-cpu-mask");
    expect(code).toBe(0);
    expect(stderr).toContain("unknown option swap is ignored");
  });

  it("undoes everything or nothing", async () => {
    await expect(run("--undo", "--dry-run")).rejects.toThrow(
      "--undo restores everything: it cannot be combined with --dry-run",
    );
    await expect(run("--undo", "--tune", "net")).rejects.toThrow("cannot be combined with --tune");
  });

  it("accepts 100,000 options", async () => {
    await putMachine();
    const args = Array.from({ length: 100_000 }, (_, index) => `--nic=eth${index % 300}`);
    const { code, stdout } = await run("--tune", "net", ...args, "--dump-options-file");
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => line.startsWith("  - eth"))).toHaveLength(300);
  });
});

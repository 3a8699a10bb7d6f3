import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { node, Program } from "../../../src/program/cli/testing/program.ts";
import { readInterrupts } from "../../../src/domain/scylla/perftune/irq/interrupts.ts";

/** perftune.py of Seastar, for those that have it. It needs hwloc and Python's psutil, pyudev and yaml. */
const reference = process.env.PERFTUNE_PY ?? "";

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return "it needs root";
  for (const tool of ["unshare", "ip", "ethtool", "losetup", "mke2fs"])
    if (spawnSync("which", [tool]).status !== 0) return `there is no ${tool}`;
  const tried = spawnSync("unshare", ["-m", "-n", "sh", "-c", "ip link add perf0 type veth && losetup --find"]);
  return tried.status === 0 ? undefined : `namespaces, veth or loop devices are not permitted: ${String(tried.stderr)}`;
}

const reason = whyNot();
if (reason !== undefined) console.log(`not run: perftune on this machine (${reason})`);
const isThere = existsSync(reference);
if (!isThere)
  console.log("not run: perftune beside perftune.py (PERFTUNE_PY does not name it): recorded values are expected");

/** Up to two IRQs that never fired, and whose CPUs may be set: taken from a device that does nothing. */
function idleIrqs(): number[] {
  const text = readFileSync("/proc/interrupts", "utf8");
  const idle = text.split("\n").flatMap((line) => /^\s*([0-9]+):(?:\s+0)+\s+\D/.exec(line)?.[1] ?? []);
  const known = readInterrupts(text);
  return idle
    .map(Number)
    .filter((irq) => known.has(irq) && isSettable(irq))
    .slice(0, 2);
}

function isSettable(irq: number): boolean {
  const path = `/proc/irq/${irq}/smp_affinity`;
  try {
    writeFileSync(path, readFileSync(path));
    return true;
  } catch {
    return false;
  }
}

type State = Record<string, string>;

describe.skipIf(reason !== undefined)("perftune on this machine", () => {
  let folder = "";
  let irqs: number[] = [];
  const affinities = new Map<string, string>();
  let built: Program;
  let program = "";

  beforeAll(async () => {
    built = await Program.build();
    program = `"${node}" "${built.main}" perftune`;
    folder = mkdtempSync(join(tmpdir(), "attune-perftune-"));
    irqs = idleIrqs();
    for (const irq of irqs) {
      const path = `/proc/irq/${irq}/smp_affinity`;
      affinities.set(path, readFileSync(path, "utf8"));
    }
  });
  afterAll(async () => {
    await built.remove();
    for (const [path, text] of affinities) writeFileSync(path, text);
    rmSync(folder, { recursive: true });
  });

  function run(name: string, tune: string, undo: string[] = []): Record<"before" | "after" | "undone", State> {
    const work = join(folder, name);
    mkdirSync(work);
    const script = join(import.meta.dirname, "machine.sh");
    const ended = spawnSync("unshare", ["-m", "-n", "bash", script, work, irqs.join(" "), tune, ...undo], {
      encoding: "utf8",
    });
    expect(ended.status, `${ended.stdout}${ended.stderr}`).toBe(0);
    for (const [path, text] of affinities) if (undo.length === 0) writeFileSync(path, text);
    const state = (file: string): State =>
      Object.fromEntries(
        readFileSync(join(work, file), "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
    return { before: state("before"), after: state("after"), undone: state("undone") };
  }

  const net = "--tune net --nic perf0 --irq-cpu-mask 0x1";

  it("tunes a card, its IRQs and a disk, changes nothing the second time, and puts all back", () => {
    const tune = `${program} ${net} --tune disks --dir "$DIR"`;
    const { before, after, undone } = run("attune", `${tune} && ${tune} | tail -n 1 | grep -q '^0 settings changed'`, [
      `${program} --undo`,
    ]);
    expect(after).toMatchObject({
      "/proc/sys/net/core/somaxconn": "4096",
      "/proc/sys/net/ipv4/tcp_max_syn_backlog": "4096",
      "channels RX": "1",
      "disk/nomerges": "2",
      "disk/scheduler": expect.stringContaining("[none]") as string,
      "disk/write_cache": before["disk/write_cache"],
    });
    for (const path of affinities.keys()) expect(Number.parseInt(after[path] ?? "", 16)).toBe(1);
    expect(after).not.toEqual(before);
    expect(undone).toEqual(before);
    expect(undone["channels RX"]).toBe("4");
  });

  it.skipIf(!isThere)("ends with the same values as perftune.py", () => {
    const ours = run("ours", `${program} ${net}`).after;
    const theirs = run("theirs", `/usr/bin/python3 "${reference}" ${net}`).after;
    // It goes through the transmit queues in the order of the directory, and divides the CPUs among them in that order.
    const unordered = (state: State): unknown => {
      const xps = Object.entries(state).filter(([path]) => path.endsWith("xps_cpus"));
      const others = Object.entries(state).filter(([path]) => !path.endsWith("xps_cpus"));
      return { others: Object.fromEntries(others), xps: xps.map(([, mask]) => mask).toSorted() };
    };
    expect(unordered(ours)).toEqual(unordered(theirs));
  });

  it.skipIf(!isThere)(
    "tunes a loop device, at which perftune.py gives up: it looks for the IRQs of a controller",
    () => {
      const tune = `! /usr/bin/python3 "${reference}" --tune disks --dir "$DIR" --irq-cpu-mask 0x1`;
      const { before, after } = run("loop", tune);
      expect(after).toEqual(before);
    },
  );
});

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { WrongError } from "../harness/load.ts";
import type { Section } from "../harness/report.ts";
import { startAttune } from "../harness/servers.ts";

/** Time and writes between two points. */
export interface LabMoment {
  readonly seconds: number;
  readonly writes: number;
  readonly cpuSeconds: number;
}

export interface LabFigures {
  /** All nodes registered. */
  readonly join: LabMoment;
  /** From the DaemonSet's creation until it is ready on every node. */
  readonly settled: LabMoment;
  /** Resident memory in MB: without nodes, with idle ones, with a pod on each. */
  readonly empty: number;
  readonly idle: number;
  readonly running: number;
  /** CPU time to keep all nodes alive, in cores. */
  readonly idleCores: number;
}

const limitSeconds = 60;

const run = promisify(execFile);

/** Virtual nodes in one process: how long until all are ready with a DaemonSet, and the memory of each. */
export const lab: Section = {
  name: "lab",
  async measure({ quick, report }) {
    const nodes = quick ? 200 : 1000;
    const together = await inProcess(nodes);
    const apart = await apartFromServer(nodes);
    const row = (what: string, of: (figures: LabFigures) => string): string[] => [what, of(together), of(apart)];
    const speed = ({ seconds, writes }: LabMoment): string =>
      `${seconds.toFixed(1)} s, ${Math.round(writes / seconds)} writes/s`;
    const each = (of: (figures: LabFigures) => number) => (figures: LabFigures) =>
      `${Math.round((of(figures) * 1000) / nodes)} KB`;
    report.table(
      `${nodes} virtual nodes`,
      ["", "with the server in one process", "without the server"],
      [
        row("nodes registered", ({ join: joined }) => speed(joined)),
        row("a DaemonSet ready on all", ({ settled }) => speed(settled)),
        row("  CPU time for that", ({ settled }) => `${settled.cpuSeconds.toFixed(1)} s`),
        row("memory without nodes", ({ empty }) => `${Math.round(empty)} MB`),
        row(
          "memory of each idle node",
          each(({ empty, idle }) => idle - empty),
        ),
        row(
          "memory of each node with a pod",
          each(({ empty, running }) => running - empty),
        ),
        row("CPU to keep all alive", ({ idleCores }) => `${(idleCores * 100).toFixed(1)} %`),
      ],
    );
    const seconds = together.join.seconds + together.settled.seconds;
    report.bar({
      what: `${nodes} virtual nodes with one DaemonSet settle in one process within ${limitSeconds} s`,
      measured: `${seconds.toFixed(1)} s`,
      met: seconds <= limitSeconds,
    });
  },
};

async function inProcess(nodes: number, kubeconfig?: string): Promise<LabFigures> {
  const program = join(dirname(process.argv[1] ?? ""), "lab-process.mjs");
  const args = ["--expose-gc", program, String(nodes), ...(kubeconfig ? [kubeconfig] : [])];
  try {
    const { stdout } = await run(process.execPath, args, { timeout: 300_000 });
    return JSON.parse(stdout) as LabFigures;
  } catch (cause) {
    throw new WrongError(`${nodes} virtual nodes did not settle: ${String(cause)}`);
  }
}

async function apartFromServer(nodes: number): Promise<LabFigures> {
  const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
  const server = await startAttune(dir);
  try {
    return await inProcess(nodes, join(dir, "kubeconfig"));
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

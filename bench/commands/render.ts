import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { WrongError } from "../harness/load.ts";
import { bareNode, runTime } from "../harness/process-usage.ts";
import { median, ratio, shown, type Section } from "../harness/report.ts";

const overMs = 60;
const peakMB = 75;

const profile = `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata:
  name: manual
spec:
  cpu:
    isolated: "1"
    reserved: "0"
    offlined: "2,3"
  hugepages:
    defaultHugepagesSize: "1G"
    pages:
      - size: "1G"
        count: 1
        node: 0
      - size: "2M"
        count: 128
  realTimeKernel:
    enabled: true
  numa:
    topologyPolicy: "single-numa-node"
  nodeSelector:
    node-role.kubernetes.io/worker-cnf: ""
  workloadHints:
    highPowerConsumption: false
    realTime: true
    perPodPowerManagement: false
`;
const pool = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata:
  name: worker-cnf
  labels:
    machineconfiguration.openshift.io/role: worker-cnf
spec:
  machineConfigSelector:
    matchExpressions:
      - key: machineconfiguration.openshift.io/role
        operator: In
        values: [worker,worker-cnf]
  nodeSelector:
    matchLabels:
      node-role.kubernetes.io/worker-cnf: ""
`;
/** Time and memory of rendering four objects from one profile, from file to files. */
export const render: Section = {
  name: "render",
  async measure({ quick, report }) {
    const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
    const input = join(dir, "in");
    const output = join(dir, "out");
    await mkdir(input);
    await writeFile(join(input, "profile.yaml"), profile);
    await writeFile(join(input, "pool.yaml"), pool);
    const command = ["bin/attune", "render", "--asset-output-dir", output, "--asset-input-dir", input];
    const bare: number[] = [];
    const rendered: number[] = [];
    const peaks: number[] = [];
    for (let round = 0; round < (quick ? 5 : 21); round++) {
      bare.push(await bareNode());
      rendered.push(await runTime(command));
      peaks.push(await peakOf(command));
      const made = await readdir(output);
      if (made.length !== 4) throw new WrongError(`render wrote ${made.length} files, not 4`);
      await rm(output, { recursive: true });
    }
    await rm(dir, { recursive: true, force: true });

    const row = (what: string, runs: readonly number[]): string[] => [
      what,
      shown(median(runs), "ms"),
      shown(Math.min(...runs), "ms"),
      `+ ${shown(median(runs) - median(bare), "ms")}`,
      ratio(median(runs), median(bare)),
    ];
    report.table(
      `attune render of one profile (peak memory ${shown(median(peaks), "MB")})`,
      ["", "median", "fastest", "over bare", "to bare"],
      [row("node -e 0 (bare)", bare), row("attune render", rendered)],
    );
    const over = median(rendered) - median(bare);
    report.bar({
      what: `render ≤ bare + ${overMs} ms`,
      measured: `bare + ${shown(over, "ms")}`,
      met: over <= overMs,
    });
    report.bar({
      what: `render ≤ ${peakMB} MB`,
      measured: shown(median(peaks), "MB"),
      met: median(peaks) <= peakMB,
    });
  },
};

/** The kernel forgets the peak memory of a process when it ends, so the process prints it at exit. */
const printsPeak = `data:text/javascript,import{readFileSync,writeSync}from"node:fs";process.on("exit",()=>writeSync(3,readFileSync("/proc/self/status","utf8")))`;

/** The peak of resident memory of Node.js with these arguments, in MB. */
async function peakOf(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ["--import", printsPeak, ...args], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  let status = "";
  for await (const part of child.stdio[3] as Readable) status += String(part);
  await ended;
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}

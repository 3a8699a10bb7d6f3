import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiVersion, type MachineConfig, roleLabel } from "../../src/domain/machine-config/api.ts";
import { renderPool } from "../../src/domain/machine-config/render-pool.ts";
import { WrongError } from "../harness/load.ts";
import { median, ratio, type Section, shown } from "../harness/report.ts";

const configs = 50;
const filesOfEach = 10;
/** Together below what one object may hold. */
const bytesOfFile = 2000;
const most = 5;

/** A pool of 50 MachineConfigs with 500 files is rendered, compared with reading their files from disk and hashing them. */
export const rendering: Section = {
  name: "rendering",
  async measure({ quick, report }) {
    const dir = mkdtempSync(join(tmpdir(), "attune-bench-"));
    const machineConfigs = Array.from({ length: configs }, (_, i) => machineConfig(i));
    const paths = machineConfigs.map((one, i) => {
      const path = join(dir, String(i));
      writeFileSync(path, JSON.stringify(one));
      return path;
    });
    const read: number[] = [];
    const rendered: number[] = [];
    // Both are compiled in the first rounds.
    for (let round = 0; round < (quick ? 40 : 200); round++) {
      read.push(timed(() => hashed(paths.map((path) => readFileSync(path)))));
      rendered.push(timed(() => render(machineConfigs)));
    }
    rmSync(dir, { recursive: true });

    const row = (what: string, runs: readonly number[]): string[] => [
      what,
      shown(median(runs), "ms"),
      shown(Math.min(...runs), "ms"),
      ratio(median(runs), median(read)),
    ];
    report.table(
      `${configs} MachineConfigs with ${configs * filesOfEach} files of ${bytesOfFile} bytes`,
      ["", "median", "fastest", "to reading"],
      [row("read and hash their JSON", read), row("render the pool", rendered)],
    );
    const times = median(rendered) / median(read);
    report.bar({
      what: `rendering ≤ ${most} × reading and hashing`,
      measured: `${shown(times)} ×`,
      met: times <= most,
    });
  },
};

/** CPU time: other processes of the machine make both slower, but not by the same factor. */
function timed(run: () => string): number {
  const start = process.cpuUsage();
  if (run() === "") throw new WrongError("nothing was hashed");
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function hashed(parts: Iterable<Uint8Array>): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function render(machineConfigs: readonly MachineConfig[]): string {
  const pool = { apiVersion, kind: "MachineConfigPool", metadata: { name: "worker", uid: "uid" } };
  const result = renderPool({ pool, machineConfigs, version: "1", digest: hashed });
  if (result.type === "refused") throw new WrongError(result.problems[0]?.message ?? "refused");
  if (result.contents.files.length !== configs * filesOfEach) throw new WrongError("files are missing");
  return result.config.metadata.name ?? "";
}

function machineConfig(number: number): MachineConfig {
  const files = Array.from({ length: filesOfEach }, (_, i) => ({
    path: `/etc/bench/${number}/${i}.conf`,
    mode: 0o644,
    contents: {
      source: `data:text/plain;charset=utf-8;base64,${Buffer.alloc(bytesOfFile, `${number} ${i} `).toString("base64")}`,
    },
  }));
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: `50-bench-${number}`, labels: { [roleLabel]: "worker" } },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files } } },
  };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareNode } from "../harness/process-usage.ts";
import { median, ratio, shown, type Section } from "../harness/report.ts";
import { realServer, startAttune } from "../harness/servers.ts";

const secondStartMs = 250;
const firstStartMs = secondStartMs + 150;

/** From start to `ready`, compared with Node.js that does nothing. */
export const startUp: Section = {
  name: "start",
  async measure({ quick, report }) {
    const bare: number[] = [];
    const first: number[] = [];
    const second: number[] = [];
    for (let round = 0; round < (quick ? 5 : 11); round++) {
      const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
      bare.push(await bareNode());
      first.push(await readyIn(dir));
      second.push(await readyIn(dir));
      await rm(dir, { recursive: true, force: true });
    }
    const base = median(bare);
    const row = (what: string, runs: readonly number[]): string[] => [
      what,
      shown(median(runs), "ms"),
      shown(Math.min(...runs), "ms"),
      `+ ${shown(median(runs) - base, "ms")}`,
      ratio(median(runs), base),
    ];
    const real = await realStart();
    report.table(
      "Start to ready",
      ["", "median", "fastest", "over bare", "to bare"],
      [
        row("node -e 0 (bare)", bare),
        row("attune apiserver, first start (makes a CA)", first),
        row("attune apiserver, second start", second),
        ...(real === undefined ? [] : [row("kube-apiserver + etcd, first start", [real])]),
      ],
    );
    for (const [what, runs, limit] of [
      ["first start", first, firstStartMs],
      ["second start", second, secondStartMs],
    ] as const) {
      const over = median(runs) - base;
      report.bar({
        what: `${what} ≤ bare + ${limit} ms`,
        measured: `bare + ${shown(over, "ms")}`,
        met: over <= limit,
      });
    }
  },
};

async function readyIn(dir: string): Promise<number> {
  const { milliseconds, stop } = await startAttune(dir);
  await stop();
  return milliseconds;
}

async function realStart(): Promise<number | undefined> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (!assets) return undefined;
  const started = performance.now();
  const server = await realServer(assets);
  const milliseconds = performance.now() - started;
  await server.close();
  return milliseconds;
}

import { setTimeout as delay } from "node:timers/promises";
import { cpuSeconds, memoryOf, peakMemoryOf } from "../harness/process-usage.ts";
import { ratio, shown, type Section } from "../harness/report.ts";
import { withServers } from "../harness/servers.ts";
import { largeNode } from "./large-node.ts";
import { startOperator, nodesPath, profilesPath, TuningCluster, tunedsPath, type Write } from "./tuning-cluster.ts";

const steadyMegabytes = 160;
const peakMegabytes = 250;
const settleMs = 10_000;
/** Long enough for V8's garbage collection in idle time. */
const restMs = 40_000;

interface Figures {
  readonly nodes: number;
  /** CPU time of the operator for each Profile, in microseconds. */
  readonly create: number;
  readonly edit: number;
  readonly nothing: number;
  readonly steady: number;
  readonly peak: number;
}

/** The operator with few nodes and with many: memory, and CPU time for each Profile. */
export const nodeTuningScale: Section = {
  name: "node-tuning-scale",
  async measure({ quick, report }) {
    const sizes = quick ? [100, 1000] : [500, 5000];
    await withServers(async (servers) => {
      for (const server of servers) {
        const cluster = await TuningCluster.open(server);
        const [few, many] = [await measured(cluster, sizes[0] as number), await measured(cluster, sizes[1] as number)];
        await cluster.close();
        const row = (what: string, of: (figures: Figures) => number, unit: string): string[] => [
          what,
          shown(of(few), unit),
          shown(of(many), unit),
          ratio(of(many), of(few)),
        ];
        report.table(
          `The operator with nodes of 12 KB, on ${server.name}`,
          ["", `${few.nodes} nodes`, `${many.nodes} nodes`, "many to few"],
          [
            row("CPU for each Profile, from its start to all", ({ create }) => create, "µs"),
            row("CPU for each Profile that an edit changes", ({ edit }) => edit, "µs"),
            row("CPU of an edit that changes none, for each node", ({ nothing }) => nothing, "µs"),
            row("memory, steady", ({ steady }) => steady, "MB"),
            row("memory, peak", ({ peak }) => peak, "MB"),
          ],
        );
        const where = `${many.nodes} nodes of 12 KB, on ${server.name}`;
        report.bar({
          what: `operator memory steady ≤ ${steadyMegabytes} MB, ${where}`,
          measured: shown(many.steady, "MB"),
          met: many.steady <= steadyMegabytes,
        });
        report.bar({
          what: `operator memory peak ≤ ${peakMegabytes} MB, ${where}`,
          measured: shown(many.peak, "MB"),
          met: many.peak <= peakMegabytes,
        });
        report.bar({
          what: `CPU for each Profile flat from ${few.nodes} to ${many.nodes} nodes (≤ 1.2 ×), on ${server.name}`,
          measured: ratio(many.edit, few.edit),
          met: many.edit <= 1.2 * few.edit,
        });
      }
    });
  },
};

/** The operator starts with all nodes present and no Profile: its largest amount of work at once. */
async function measured(cluster: TuningCluster, nodes: number): Promise<Figures> {
  const name = `half-${nodes}`;
  await cluster.createTuned(name, text(10), [{ label: "group", value: "a" }]);
  const writes = Array.from({ length: nodes }, (_, index): Write => {
    const body = largeNode(`node-${index}`, index % 2 === 0 ? "a" : "b");
    return { method: "POST", path: nodesPath, body };
  });
  await cluster.sendAll(writes, 201);
  const watch = await cluster.watchProfiles();
  const all = watch.until("ADDED", nodes);
  const operator = await startOperator(cluster);
  try {
    await all;
    await cluster.seenByOperator();
    const create = cpuOf(operator.pid);
    await delay(settleMs);
    const before = cpuOf(operator.pid);
    const half = watch.until("MODIFIED", nodes / 2);
    await cluster.editTuned(name, { profile: [{ name, data: text(11) }] });
    await half;
    await cluster.seenByOperator();
    const edited = cpuOf(operator.pid);
    await cluster.editTuned(name, {
      profile: [
        { name, data: text(11) },
        { name: `unused-${nodes}`, data: text(1) },
      ],
    });
    await cluster.seenByOperator();
    const idle = cpuOf(operator.pid);
    await delay(restMs);
    return {
      nodes,
      create: (create / nodes) * 1e6,
      edit: ((edited - before) / (nodes / 2)) * 1e6,
      nothing: ((idle - edited) / nodes) * 1e6,
      steady: memoryOf([operator.pid])?.resident ?? Number.NaN,
      peak: peakMemoryOf(operator.pid) ?? Number.NaN,
    };
  } finally {
    watch.close();
    await operator.stop();
    for (const path of [nodesPath, profilesPath, tunedsPath]) await cluster.send("DELETE", path);
  }
}

function cpuOf(pid: number): number {
  return cpuSeconds([pid]) ?? Number.NaN;
}

const text = (value: number): string => `[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=${value}\n`;

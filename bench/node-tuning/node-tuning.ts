import { WrongError } from "../harness/load.ts";
import { cpuSeconds } from "../harness/process-usage.ts";
import { median, ratio, shown, type Section, type Setting } from "../harness/report.ts";
import { type BenchServer, withServers } from "../harness/servers.ts";
import { largeNode } from "./large-node.ts";
import {
  type OperatorProgram,
  startOperator,
  nodesPath,
  profilesPath,
  TuningCluster,
  type Write,
} from "./tuning-cluster.ts";

/** Times of the operator, and of a bare writer that sends the same bodies. */
const scenarios = ["nodes join", "all nodes at once", "an edit for half of them"] as const;
type Scenario = (typeof scenarios)[number];
type Seconds = Record<Scenario, number[]>;

/** Rounds on one kind of server: the operator uses one, the bare writer another of the same kind. */
interface Run {
  readonly cluster: TuningCluster;
  readonly twin: TuningCluster;
  readonly program: OperatorProgram;
  readonly operator: Seconds;
  readonly bare: Seconds;
  /** CPU time of the operator for each Profile, in microseconds. */
  readonly cpu: Seconds;
}

/** How fast the operator writes Profiles, compared with a bare writer. */
export const nodeTuning: Section = {
  name: "node-tuning",
  async measure(setting) {
    const nodes = 500;
    const rounds = setting.quick ? 2 : 7;
    await withServers((servers) =>
      withServers(async (twins) => {
        for (const [index, server] of servers.entries()) {
          const run = await prepare(server, twins[index] as BenchServer);
          for (let round = 0; round < rounds; round++) await oneRound(run, nodes);
          show(run, nodes, rounds, setting);
          await run.program.stop();
          await run.cluster.close();
          await run.twin.close();
        }
      }),
    );
  },
};

async function prepare(server: BenchServer, other: BenchServer): Promise<Run> {
  const cluster = await TuningCluster.open(server);
  const twin = await TuningCluster.open(other);
  await cluster.createTuned("half", text(10), [{ label: "group", value: "a" }]);
  await cluster.createTuned("unmatched", text(20), [{ label: "no-such-label" }]);
  return { cluster, twin, program: await startOperator(cluster), operator: none(), bare: none(), cpu: none() };
}

function none(): Seconds {
  return { "nodes join": [], "all nodes at once": [], "an edit for half of them": [] };
}

const text = (value: number): string => `[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=${value}\n`;

async function oneRound(run: Run, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index): Write => {
    const body = largeNode(`node-${index}`, index % 2 === 0 ? "a" : "b");
    return { method: "POST", path: nodesPath, body };
  });
  await bareRound(run, nodes, await operatorRound(run, nodes));
}

/** The Profiles that the operator wrote, as writes of a bare writer. */
interface Made {
  readonly creates: readonly Write[];
  /** Only the Profiles that the edit changed. */
  readonly edited: ReadonlyMap<string, unknown>;
}

async function operatorRound(run: Run, nodes: readonly Write[]): Promise<Made> {
  const { cluster, program } = run;
  const count = nodes.length;
  const round = run.operator["nodes join"].length;
  const watch = await cluster.watchProfiles();
  const timed = async (scenario: Scenario, writes: number, act: () => Promise<number>): Promise<void> => {
    const before = cpuSeconds([program.pid]) ?? Number.NaN;
    const started = performance.now();
    const ended = await act();
    run.operator[scenario].push((ended - started) / 1000);
    await cluster.seenByOperator();
    run.cpu[scenario].push((((cpuSeconds([program.pid]) ?? Number.NaN) - before) / writes) * 1e6);
  };
  try {
    await timed("nodes join", count, async () => {
      const all = watch.until("ADDED", count);
      await cluster.sendAll(nodes, 201);
      return all;
    });
    const creates = (await cluster.list(profilesPath)).items.map(({ metadata: { name }, spec }): Write => ({
      method: "POST",
      path: profilesPath,
      body: JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Profile", metadata: { name }, spec }),
    }));
    expectWrites("500 nodes that joined", watch.count("MODIFIED"), 0);

    watch.reset();
    await timed("an edit for half of them", count / 2, async () => {
      const half = watch.until("MODIFIED", count / 2);
      await cluster.editTuned("half", { profile: [{ name: "half", data: text(11 + round) }] });
      return half;
    });
    expectWrites("an edit that changes half of the nodes", watch.count("MODIFIED"), count / 2);

    watch.reset();
    await cluster.editTuned("unmatched", { profile: [{ name: "unmatched", data: text(11 + round) }] });
    await cluster.seenByOperator();
    expectWrites("an edit that concerns no node", watch.count("MODIFIED"), 0);

    const edited = new Map((await cluster.list(profilesPath)).items.map(({ metadata, spec }) => [metadata.name, spec]));
    await removed(cluster, watch, count);
    watch.reset();
    await timed("all nodes at once", count, async () => {
      const all = watch.until("ADDED", count);
      await cluster.editTuned("default", { managementState: "Managed" });
      return all;
    });
    const gone = watch.until("DELETED", count);
    await cluster.send("DELETE", nodesPath);
    await gone;
    return { creates, edited };
  } finally {
    watch.close();
  }
}

async function removed(
  cluster: TuningCluster,
  watch: { until(kind: "DELETED", count: number): Promise<number>; reset(): void },
  count: number,
): Promise<void> {
  watch.reset();
  const gone = watch.until("DELETED", count);
  await cluster.editTuned("default", { managementState: "Removed" });
  await gone;
  await cluster.seenByOperator();
}

async function bareRound(
  { twin: cluster, bare }: Run,
  nodes: readonly Write[],
  { creates, edited }: Made,
): Promise<void> {
  const watch = await cluster.watchProfiles();
  const timed = async (scenario: Scenario, kind: "ADDED" | "MODIFIED", writes: readonly Write[], count: number) => {
    watch.reset();
    const done = watch.until(kind, count);
    const started = performance.now();
    await cluster.sendAll(writes, kind === "ADDED" ? 201 : 200);
    bare[scenario].push(((await done) - started) / 1000);
  };
  try {
    const pairs = nodes.flatMap((node, index) => [node, creates[index]].filter((write) => write !== undefined));
    await timed("nodes join", "ADDED", pairs, creates.length);
    const updates = (await cluster.list(profilesPath)).items.flatMap((item): Write[] => {
      const { name } = item.metadata;
      const spec = edited.get(name);
      if (JSON.stringify(spec) === JSON.stringify(item.spec)) return [];
      return [{ method: "PUT", path: `${profilesPath}/${name}`, body: JSON.stringify({ ...item, spec }) }];
    });
    await timed("an edit for half of them", "MODIFIED", updates, updates.length);
    await cluster.send("DELETE", profilesPath);
    await timed("all nodes at once", "ADDED", creates, creates.length);
    for (const path of [profilesPath, nodesPath]) await cluster.send("DELETE", path);
  } finally {
    watch.close();
  }
}

function expectWrites(what: string, written: number, expected: number): void {
  if (written !== expected) throw new WrongError(`${what}: ${written} Profiles were written, not ${expected}`);
}

function show({ cluster, operator, bare, cpu }: Run, nodes: number, rounds: number, { report }: Setting): void {
  const { name } = cluster.server;
  report.table(
    `Profiles of ${nodes} nodes of 12 KB, on ${name}, median of ${rounds} rounds`,
    ["", "operator", "bare writer", "operator to bare", "CPU of the operator, each"],
    scenarios.map((scenario) => [
      scenario,
      shown(median(operator[scenario]), "s"),
      shown(median(bare[scenario]), "s"),
      ratio(median(operator[scenario]), median(bare[scenario])),
      shown(median(cpu[scenario]), "µs"),
    ]),
  );
  for (const scenario of scenarios)
    report.bar({
      what: `${scenario}: Profiles of ${nodes} nodes written ≤ 1.5 × a bare writer, on ${name}`,
      measured: ratio(median(operator[scenario]), median(bare[scenario])),
      met: median(operator[scenario]) <= 1.5 * median(bare[scenario]),
    });
}

import { type HttpConnection, requestBytes } from "../harness/http-connection.ts";
import { configMapsPath, drive, fill, jsonOf, makeNamespace, openConnections, WrongError } from "../harness/load.ts";
import { cpuSeconds } from "../harness/process-usage.ts";
import { median, ratio, shown, type Section } from "../harness/report.ts";
import { withServers, type BenchServer } from "../harness/servers.ts";
import { Watcher } from "./watcher.ts";

const watchers = 100;
const events = 1000;
const writers = 16;
const objectBytes = 1024;
const namespace = "fan-out";
const timeoutMs = 120_000;

/** Many watchers of the same objects: the time until every watcher has every event, and that none is lost. */
export const fanOut: Section = {
  name: "fan-out",
  async measure({ quick, report }) {
    const rounds = quick ? 1 : 5;
    await withServers(async (servers) => {
      const runs = await Promise.all(servers.map(prepare));
      for (let round = 0; round < rounds; round++) for (const run of runs) await deliver(run, round);
      for (const { writing } of runs) for (const connection of writing) connection.close();

      const [ours, real] = runs as [Run, Run | undefined];
      const rate = (run: Run): number => (watchers * events) / median(run.seconds);
      report.table(
        `Fan-out to ${watchers} watchers of ${events} creations, ${objectBytes} bytes, median of ${rounds}`,
        ["", "attune", "real", "attune to real"],
        [
          [
            "events delivered a second",
            shown(rate(ours)),
            shown(real && rate(real)),
            ratio(rate(ours), real && rate(real)),
          ],
          [
            "CPU time of the server",
            shown(median(ours.cpu), "s"),
            shown(real && median(real.cpu), "s"),
            ratio(median(ours.cpu), real && median(real.cpu)),
          ],
          ["watches cut off, and resumed", String(ours.cuts), real ? String(real.cuts) : "-", "-"],
        ],
      );
      report.bar({
        what: `${watchers} watchers × ${events} events, none lost, all in order`,
        measured: `${rounds} of ${rounds} rounds`,
        met: true,
      });
      if (real)
        report.bar({
          what: "events delivered a second, at least 1.5 × the real server",
          measured: ratio(rate(ours), rate(real)),
          met: rate(ours) >= 1.5 * rate(real),
        });
    });
  },
};

interface Run {
  readonly server: BenchServer;
  readonly writing: readonly HttpConnection[];
  readonly seconds: number[];
  readonly cpu: number[];
  cuts: number;
}

async function prepare(server: BenchServer): Promise<Run> {
  const writing = await openConnections(server, writers);
  await makeNamespace(server, writing[0] as HttpConnection, namespace);
  return { server, writing, seconds: [], cpu: [], cuts: 0 };
}

/** The time from the first creation to the last event of the last watcher. */
async function deliver(run: Run, round: number): Promise<void> {
  const { server, writing } = run;
  const prefix = `round-${round}-`;
  const since = await newestVersion(run);
  const watching = Array.from(
    { length: watchers },
    (_, index) => new Watcher(server, { namespace, since, events, keep: index === 0 }),
  );
  await Promise.all(watching.map((watcher) => watcher.start()));
  const started = performance.now();
  const before = cpuSeconds(server.pids) ?? Number.NaN;
  await fill(server, writing, { namespace, prefix, count: events, size: objectBytes });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lost(server, watching)), timeoutMs);
  });
  await Promise.race([Promise.all(watching.map(({ complete }) => complete)), late]);
  clearTimeout(timer);
  run.seconds.push((performance.now() - started) / 1000);
  run.cpu.push((cpuSeconds(server.pids) ?? Number.NaN) - before);
  for (const watcher of watching) watcher.close();
  run.cuts += watching.reduce((cuts, watcher) => cuts + watcher.cuts, 0);
  check(server, watching, prefix);
}

async function newestVersion({ server, writing }: Run): Promise<string> {
  const request = requestBytes(server, { method: "GET", path: `${configMapsPath(namespace)}?limit=1` });
  const { last } = await drive(writing.slice(0, 1), [request], 200);
  return (jsonOf(last).metadata as { resourceVersion: string }).resourceVersion;
}

function check(server: BenchServer, watching: readonly Watcher[], prefix: string): void {
  if (watching.some(({ seen }) => seen !== events)) throw lost(server, watching);
  if (new Set(watching.map((watcher) => watcher.digest())).size !== 1)
    throw new WrongError(`${server.name}: watchers of the same objects got different events`);
  const names = new Set<string>();
  let newest = 0;
  for (const { type, object } of watching[0]?.events() ?? []) {
    const { name, resourceVersion } = object.metadata;
    if (type !== "ADDED" || !name.startsWith(prefix) || Number(resourceVersion) <= newest)
      throw new WrongError(`${server.name}: out of order: ${type} ${name} ${resourceVersion} after ${newest}`);
    newest = Number(resourceVersion);
    names.add(name);
  }
  if (names.size !== events) throw lost(server, watching);
}

function lost(server: BenchServer, watching: readonly Watcher[]): WrongError {
  const short = watching.filter(({ seen }) => seen !== events);
  const seen = short.slice(0, 5).map(({ seen }) => seen);
  return new WrongError(
    `${server.name}: ${short.length} watchers did not see ${events} events but ${seen.join(", ")}…`,
  );
}

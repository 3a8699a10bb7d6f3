import { type HttpConnection, requestBytes } from "../harness/http-connection.ts";
import {
  configMap,
  configMapsPath,
  drive,
  fill,
  jsonOf,
  makeNamespace,
  openConnections,
  WrongError,
  type Load,
} from "../harness/load.ts";
import { cpuSeconds } from "../harness/process-usage.ts";
import { median, ratio, shown, type Section } from "../harness/report.ts";
import { withServers, type BenchServer } from "../harness/servers.ts";

const concurrency = 24;
const objectBytes = 1024;
const standing = 100;
const namespace = "requests";
const listed = "listed";

interface Operation {
  readonly name: string;
  readonly status: number;
  /** The promised minimum, as a multiple of the real server's rate. */
  readonly bar?: number;
  /** Requests in a round, as a fraction of the usual number. */
  readonly share: number;
  request(server: BenchServer, round: number, index: number): Buffer;
  /** Whether the last response of a round is correct. */
  holds(answer: Record<string, unknown>): boolean;
}

const operations: readonly Operation[] = [
  {
    name: "create",
    status: 201,
    bar: 1.5,
    share: 1,
    request: (server, round, index) =>
      requestBytes(server, {
        method: "POST",
        path: configMapsPath(namespace),
        body: configMap(`made-${round}-${index}`, objectBytes),
      }),
    holds: (answer) => answer.kind === "ConfigMap" && nameOf(answer).startsWith("made-"),
  },
  {
    name: "get",
    status: 200,
    bar: 1.5,
    share: 1,
    request: (server, _round, index) => requestBytes(server, { method: "GET", path: standingPath(index) }),
    holds: (answer) => answer.kind === "ConfigMap" && nameOf(answer).startsWith("standing-"),
  },
  {
    name: "merge patch",
    status: 200,
    share: 1,
    request: (server, round, index) =>
      requestBytes(server, {
        method: "PATCH",
        path: standingPath(index),
        body: JSON.stringify({ data: { patched: `${round}-${index}` } }),
        contentType: "application/merge-patch+json",
      }),
    holds: (answer) => typeof (answer.data as Record<string, unknown>).patched === "string",
  },
  {
    name: `list of ${standing}`,
    status: 200,
    share: 0.2,
    // The label leaves out kube-root-ca.crt, which kube-controller-manager creates in every namespace.
    request: (server) =>
      requestBytes(server, { method: "GET", path: `${configMapsPath(listed)}?labelSelector=app%3Dbench` }),
    holds: (answer) => (answer.items as unknown[]).length === standing,
  },
];

/** Requests per second; rounds of both servers alternate, so that other load affects both. */
export const requests: Section = {
  name: "requests",
  async measure({ quick, report }) {
    await withServers(async (servers) => {
      const runs = await Promise.all(servers.map(prepare));
      const [count, rounds] = quick ? [400, 3] : [2000, 7];
      for (const run of runs) for (const operation of operations) await oneRound(run, operation, -1, count / 2);
      for (const operation of operations)
        for (let round = 0; round < rounds; round++)
          for (const run of runs) await record(run, operation, round, Math.ceil(count * operation.share));
      for (const { connections } of runs) for (const connection of connections) connection.close();

      const [ours, real] = runs as [Run, Run | undefined];
      report.table(
        `Requests per second, ConfigMaps of ${objectBytes} bytes, ${concurrency} connections, median of ${rounds} rounds of ${count}`,
        ["", "attune", "real", "attune to real", "CPU each, attune", "CPU each, real"],
        operations.map(({ name }) => [
          name,
          shown(rate(ours, name)),
          shown(real && rate(real, name)),
          ratio(rate(ours, name), real && rate(real, name)),
          shown(cpuEach(ours, name), "µs"),
          shown(real && cpuEach(real, name), "µs"),
        ]),
      );
      for (const { name, bar } of operations)
        if (real && bar !== undefined)
          report.bar({
            what: `${name} ≥ ${bar} × the real server`,
            measured: ratio(rate(ours, name), rate(real, name)),
            met: rate(ours, name) >= bar * rate(real, name),
          });
    });
  },
};

interface Run {
  readonly server: BenchServer;
  readonly connections: readonly HttpConnection[];
  readonly rates: Map<string, number[]>;
  readonly cpu: Map<string, { seconds: number; requests: number }>;
}

async function prepare(server: BenchServer): Promise<Run> {
  const connections = await openConnections(server, concurrency);
  for (const name of [namespace, listed]) {
    await makeNamespace(server, connections[0] as HttpConnection, name);
    await fill(server, connections, { namespace: name, prefix: "standing-", count: standing, size: objectBytes });
  }
  return { server, connections, rates: new Map(), cpu: new Map() };
}

async function record(run: Run, operation: Operation, round: number, count: number): Promise<void> {
  const { name } = operation;
  const before = cpuSeconds(run.server.pids);
  const { perSecond } = await oneRound(run, operation, round, count);
  const after = cpuSeconds(run.server.pids);
  run.rates.set(name, [...(run.rates.get(name) ?? []), perSecond]);
  if (before === undefined || after === undefined) return;
  const { seconds, requests } = run.cpu.get(name) ?? { seconds: 0, requests: 0 };
  run.cpu.set(name, { seconds: seconds + after - before, requests: requests + count });
}

async function oneRound(
  { server, connections }: Run,
  operation: Operation,
  round: number,
  count: number,
): Promise<Load> {
  const made = Array.from({ length: count }, (_, index) => operation.request(server, round, index));
  const load = await drive(connections, made, operation.status);
  if (!operation.holds(jsonOf(load.last))) throw new WrongError(`${operation.name}: the response is wrong`);
  return load;
}

function rate(run: Run, name: string): number {
  return median(run.rates.get(name) ?? []);
}

function cpuEach(run: Run, name: string): number | undefined {
  const used = run.cpu.get(name);
  return used && (used.seconds / used.requests) * 1e6;
}

function standingPath(index: number): string {
  return `${configMapsPath(namespace)}/standing-${index % standing}`;
}

function nameOf(object: Record<string, unknown>): string {
  return String((object.metadata as Record<string, unknown>).name);
}

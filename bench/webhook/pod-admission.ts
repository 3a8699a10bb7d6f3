import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpConnection, requestBytes } from "../harness/http-connection.ts";
import { drive, jsonOf, openConnections, WrongError } from "../harness/load.ts";
import { cpuSeconds } from "../harness/process-usage.ts";
import { median, ratio, type Section, type Setting, shown } from "../harness/report.ts";
import { attuneServer, type BenchServer, realServer } from "../harness/servers.ts";
import { openLoop, openLoopConnections, quantile } from "./open-loop.ts";
import { namespace, partition, platformPod, startWebhook, type WebhookProgram } from "./partitioned.ts";

const perSecond = 500;
/** Short, so that other load on the machine meets all handlers. */
const roundSeconds = 0.5;
const nodes = 1000;
/** Creates before the measurement: until then V8 compiles. */
const warmUp = 1500;
const [mostReview, mostCreate] = [2, 2.5];

/** Reviews of pods of a partitioned cluster, and what they add to the creation of a pod. */
export const podAdmission: Section = {
  name: "pod-admission",
  async measure(setting) {
    await measureOn(attuneServer, setting);
    const assets = process.env.KUBEBUILDER_ASSETS;
    if (assets) await measureOn(() => realServer(assets), setting);
  },
};

/** With two servers of a kind: the webhook is registered with one of them. */
async function measureOn(start: () => Promise<BenchServer>, setting: Setting): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
  const stops: (() => Promise<void>)[] = [];
  try {
    const server = await start();
    stops.unshift(server.close);
    const other = await start();
    stops.unshift(other.close);
    await partition(other, dir, 0);
    const webhook = await startWebhook(server, await partition(server, dir, nodes));
    stops.unshift(() => webhook.stop());
    // The reviews are the same, whichever server there is.
    if (server.name === "attune") await reviews(webhook, setting);
    await creates([server, other], webhook, setting);
  } finally {
    for (const stop of stops) await stop();
    await rm(dir, { recursive: true, force: true });
  }
}

const handlers = ["no-op", "pods-partitioning", "pods-partitioned"] as const;

async function reviews({ url, caPem, pid }: WebhookProgram, { quick, report }: Setting): Promise<void> {
  const server = { url, caPem, token: "", pids: [pid], name: "attune", close: async () => {} } as const;
  const connections = await openConnections(server, openLoopConnections);
  const runs = handlers.map((handler) => ({ handler, taken: [] as number[], worst: [] as number[], cpu: 0 }));
  const rounds = quick ? 6 : 60;
  // The first rounds warm up.
  for (let round = -4; round < rounds; round++)
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
      const body = JSON.stringify(review(platformPod("bench")));
      const one = requestBytes(server, { method: "POST", path: `/admit/${run.handler}?timeout=2s`, body });
      const before = cpuSeconds([pid]) ?? 0;
      const taken = await openLoop(
        connections,
        Array.from({ length: perSecond * roundSeconds }, () => one),
        perSecond,
      );
      if (round < 0) continue;
      run.cpu += (cpuSeconds([pid]) ?? 0) - before;
      run.taken.push(...taken);
      run.worst.push(quantile(taken, 0.99));
    }
  for (const connection of connections) connection.close();
  const [noOp, ...others] = runs as [Run, ...Run[]];
  // Where other programs run, one pause of the machine makes the p99 of all rounds: that of the usual round is compared.
  const p99 = ({ worst }: Run): number => median(worst);
  report.table(
    `Reviews of a pod, open loop of ${perSecond} a second, ${noOp.taken.length} each, in a cluster of ${nodes} nodes`,
    ["handler", "median", "p99 of a round", "to no-op", "p99 of all", "CPU each"],
    runs.map((run) => [
      run.handler,
      shown(median(run.taken), "ms"),
      shown(p99(run), "ms"),
      ratio(p99(run), p99(noOp)),
      shown(quantile(run.taken, 0.99), "ms"),
      shown((run.cpu / run.taken.length) * 1e6, "µs"),
    ]),
  );
  for (const run of others)
    report.bar({
      what: `${run.handler}, ${perSecond} reviews a second: p99 ≤ ${mostReview} × a handler that does nothing`,
      measured: ratio(p99(run), p99(noOp)),
      met: p99(run) <= mostReview * p99(noOp),
    });
}

interface Run {
  readonly handler: string;
  readonly taken: number[];
  /** The p99 of each round. */
  readonly worst: number[];
  cpu: number;
}

function review(object: object): object {
  const pods = { group: "", version: "v1" };
  const request = {
    uid: "0123456789",
    kind: { ...pods, kind: "Pod" },
    resource: { ...pods, resource: "pods" },
    name: "bench",
    namespace,
    operation: "CREATE",
    userInfo: { username: "system:admin", groups: ["system:masters", "system:authenticated"] },
    object,
    oldObject: null,
    dryRun: false,
    options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
  };
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
}

/** One at a time, on a server with the webhook and on one without, by turns. */
async function creates(
  servers: readonly [BenchServer, BenchServer],
  webhook: WebhookProgram,
  { quick, report }: Setting,
): Promise<void> {
  const runs = await Promise.all(
    servers.map(async (server) => ({ server, connection: await HttpConnection.open(server), taken: [] as number[] })),
  );
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const processes = [[...servers[0].pids, webhook.pid], servers[1].pids];
  const cpu = (): number[] => processes.map((pids) => cpuSeconds(pids) ?? 0);
  let before = cpu();
  for (let n = -warmUp; n < (quick ? 1000 : 5000); n++) {
    if (n === 0) before = cpu();
    for (const { server, connection, taken } of n % 2 === 0 ? runs : runs.toReversed()) {
      const body = JSON.stringify(platformPod(`pod-${n + warmUp}`));
      const request = requestBytes(server, { method: "POST", path, body });
      const { seconds, last } = await drive([connection], [request], 201);
      const isRewritten = JSON.stringify(jsonOf(last)).includes("cpushares");
      if (isRewritten !== (server === servers[0]))
        throw new WrongError(`pod-${n + warmUp}: rewritten is ${isRewritten}`);
      if (n >= 0) taken.push(seconds * 1000);
    }
  }
  const used = cpu().map((seconds, i) => seconds - (before[i] ?? 0));
  for (const { connection } of runs) connection.close();
  const [reviewedCpu, plainCpu] = used.map((seconds, i) => (seconds / (runs[i]?.taken.length ?? 1)) * 1e6) as [
    number,
    number,
  ];
  const [reviewed, plain] = runs.map(({ taken }) => taken) as [number[], number[]];
  report.table(
    `Creating a pod, one at a time, ${plain.length} each (${servers[0].name})`,
    ["", "median", "p99", "CPU each"],
    [
      ["without the webhook", shown(median(plain), "ms"), shown(quantile(plain, 0.99), "ms"), shown(plainCpu, "µs")],
      [
        "reviewed and rewritten",
        shown(median(reviewed), "ms"),
        shown(quantile(reviewed, 0.99), "ms"),
        shown(reviewedCpu, "µs"),
      ],
      [
        "ratio",
        ratio(median(reviewed), median(plain)),
        ratio(quantile(reviewed, 0.99), quantile(plain, 0.99)),
        ratio(reviewedCpu, plainCpu),
      ],
    ],
  );
  report.bar({
    what: `a pod is created and reviewed (${servers[0].name}) ≤ ${mostCreate} × without the webhook`,
    measured: ratio(median(reviewed), median(plain)),
    met: median(reviewed) <= mostCreate * median(plain),
  });
}

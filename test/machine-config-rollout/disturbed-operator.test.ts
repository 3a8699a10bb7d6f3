import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { type Fault, FaultProxy } from "../fault-proxy/fault-proxy.ts";
import { type OperatorProcess, startOperatorProcess } from "../node-tuning-faults/operator-process.ts";
import { bootsOf, mostUnavailable } from "./observed.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("not run without ATTUNE_LONG: rollouts while the server fails or the leader is stopped");

const names = ["a", "b", "c", "d"];
/** An update of a node changes it more often than this. */
const eventsBetweenFaults = 7;

const faults: readonly { readonly what: string; readonly strike: (proxy: FaultProxy) => unknown }[] = [
  { what: "answers 409", strike: (proxy) => proxy.plan("other", ...answers(409, 3)) },
  { what: "answers 500", strike: (proxy) => proxy.plan("other", ...answers(500, 5)) },
  { what: "answers 429", strike: (proxy) => proxy.plan("other", ...answers(429, 2)) },
  { what: "carries a write out and resets its answer", strike: (proxy) => proxy.plan("other", ...cuts(0, 3)) },
  { what: "resets connections", strike: (proxy) => proxy.reset() },
  {
    what: "cuts watches in the middle of an event",
    strike: (proxy) => {
      proxy.plan("watch", ...cuts(100, 3), ...answers(500, 2));
      proxy.reset();
    },
  },
  {
    what: "says that watches are too old",
    strike: (proxy) => proxy.say({ type: "ERROR", object: statusOf(410, "Expired") }),
  },
  {
    what: "cannot be reached for a while",
    strike: async (proxy) => {
      await proxy.refuse();
      await delay(1000);
      await proxy.listen();
    },
  },
];

function answers(status: number, count: number): Fault[] {
  const body = JSON.stringify(statusOf(status, reasons[status] ?? ""));
  return Array.from({ length: count }, () => ({ kind: "answer", status, headers: { "retry-after": "1" }, body }));
}

function cuts(afterBytes: number, count: number): Fault[] {
  return Array.from({ length: count }, () => ({ kind: "cut", afterBytes, by: "reset" }));
}

const reasons: Record<number, string> = { 409: "Conflict", 429: "TooManyRequests", 500: "InternalError" };

function statusOf(code: number, reason: string): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason };
}

/** Four nodes, of which two may be away, and their server. */
async function fourNodes(): Promise<{ readonly cluster: RolloutCluster; readonly server: ApiServer }> {
  const servers: ApiServer[] = [];
  const start = async (dir: string): Promise<ApiServer> => {
    const server = await startServer({ dir, storage: "memory" });
    servers.push(server);
    return server;
  };
  const cluster = await RolloutCluster.start({ nodes: { worker: names }, start });
  await cluster.createPool("worker", { maxUnavailable: 2 });
  return { cluster, server: servers[0] as ApiServer };
}

describe.skipIf(!isLong)("no node restarts twice for a config, and the budget holds", { timeout: 1_200_000 }, () => {
  test("if the server of the operator fails, in any way and again and again", async () => {
    const { cluster, server } = await fourNodes();
    const dir = await mkdtemp(join(tmpdir(), "attune-disturbed-"));
    const { serverCertPem: cert, serverKeyPem: key, caPem, adminToken: token } = server.authority;
    const proxy = new FaultProxy({ cert, key, upstream: { url: server.url, ca: caPem } });
    await proxy.listen();
    onTestFinished(async () => {
      await cluster.stopOperator();
      await proxy.close();
      await rm(dir, { recursive: true, force: true });
    });
    const kubeconfig = join(dir, "kubeconfig");
    await writeKubeconfig(kubeconfig, { server: proxy.url, caPem, token });
    cluster.startOperator(undefined, await loadConnection({ kubeconfig }));
    await cluster.until("all nodes have an agent", async () => (await cluster.agents()) === names.length);
    const boots = bootsOf(cluster);
    const most = mostUnavailable(cluster, names);
    let strikes = 0;
    let events = 0;
    let struck: Promise<unknown> = Promise.resolve();
    let strikeNow: (typeof faults)[number]["strike"] = () => {};
    cluster.onNode(() => {
      if (++events % eventsBetweenFaults > 0) return;
      strikes++;
      struck = struck.then(() => strikeNow(proxy));
    });
    for (const [index, { what, strike }] of faults.entries()) {
      strikes = 0;
      strikeNow = strike;
      await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", what)));
      await cluster.until(`all have it although the server ${what}`, async () => {
        const texts = await Promise.all(names.map((name) => cluster.text(name, "/etc/own.conf")));
        return texts.every((text) => text === what) && (await cluster.updated("worker", ["50-own"]));
      });
      await struck;
      expect(strikes, what).toBeGreaterThan(3);
      expect(boots, what).toHaveLength((index + 1) * names.length);
    }
    expect(boots).toEqual([...new Set(boots)]);
    expect(most()).toBe(2);
  });

  test("if the leader is stopped beyond its lease in the middle of a rollout, and continues", async () => {
    const { cluster, server } = await fourNodes();
    const attune = await Program.build();
    const operators = new Set<OperatorProcess>();
    const startProcess = (): OperatorProcess => {
      const operator = startOperatorProcess(attune, server.kubeconfig);
      operators.add(operator);
      return operator;
    };
    onTestFinished(async () => {
      for (const operator of operators) operator.signal("SIGKILL");
      await Promise.all([...operators].map(({ ended }) => ended));
      await attune.remove();
    });
    const holder = async (): Promise<string | undefined> =>
      (await ifThere(cluster.admin.get(leaseKind, operatorLease, { namespace: tuningNamespace })))?.spec
        ?.holderIdentity;
    let leader = startProcess();
    let holds = await cluster.until("the first one leads", holder);
    await cluster.until("all nodes have an agent", async () => (await cluster.agents()) === names.length);
    const boots = bootsOf(cluster);
    const most = mostUnavailable(cluster, names);
    // Told, draining, restarting, and between nodes.
    const moments = [2, 9, 17, 30];
    for (const [index, moment] of moments.entries()) {
      const next = startProcess();
      const text = String(index);
      const reached = cluster.events(moment);
      await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", text)));
      await reached;
      leader.signal("SIGSTOP");
      holds = await cluster.until("the other one leads", async () => {
        const now = await holder();
        return now !== holds && now;
      });
      await cluster.events(3);
      leader.signal("SIGCONT");
      expect(await leader.ended).not.toBe(0);
      operators.delete(leader);
      leader = next;
      await cluster.until("all have it", async () => {
        const texts = await Promise.all(names.map((name) => cluster.text(name, "/etc/own.conf")));
        return texts.every((one) => one === text) && (await cluster.updated("worker", ["50-own"]));
      });
      expect(boots).toHaveLength((index + 1) * names.length);
    }
    expect(boots).toEqual([...new Set(boots)]);
    expect(most()).toBe(2);
  });
});

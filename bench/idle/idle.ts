import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { makeNode } from "../commands/agent.ts";
import { shown, type Section } from "../harness/report.ts";
import { type BenchServer, kubeconfigOf, withServers } from "../harness/servers.ts";
import { WrongError } from "../harness/load.ts";
import { CountingProxy } from "./counting-proxy.ts";

const limit = 12;
/** Until every cache has synced and the first profile is applied. */
const settleMs = 20_000;

/** What one part of an idle cluster asks the API server. */
export const idle: Section = {
  name: "idle",
  async measure({ quick, report }) {
    const minutes = quick ? 1 : 10;
    await withServers(async (servers) => {
      for (const server of servers) {
        const parts = await measureOn(server, minutes);
        report.table(
          `Requests of an idle cluster in ${minutes} min (${server.name})`,
          ["", "requests", "a minute"],
          parts.flatMap(({ name, counts, total }) => [
            [name, String(total), shown(total / minutes)],
            ...[...counts].toSorted(([, a], [, b]) => b - a).map(([what, count]) => [`  ${what}`, String(count), ""]),
          ]),
        );
        for (const { name, total } of parts)
          report.bar({
            what: `idle, ${name} (${server.name}): fewer than ${limit} requests a minute`,
            measured: shown(total / minutes),
            met: total / minutes < limit,
          });
      }
    });
  },
};

async function createNode({ url, caPem, token }: BenchServer): Promise<void> {
  const client = new HttpClient({
    cluster: { server: url, certificateAuthority: caPem },
    credentials: staticCredentials(bearer(token)),
    namespace: "default",
    name: "bench",
  });
  const metadata = { name: "n", labels: { "kubernetes.io/os": "linux" } };
  await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata });
  client.close();
}

async function measureOn(
  server: BenchServer,
  minutes: number,
): Promise<{ name: string; counts: ReadonlyMap<string, number>; total: number }[]> {
  const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
  const proxies: CountingProxy[] = [];
  const kills: (() => void)[] = [];
  try {
    const kubeconfig = join(dir, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigOf(server));
    const installed = spawnSync(process.execPath, ["bin/attune", "install", "--apply", "--kubeconfig", kubeconfig]);
    if (installed.status !== 0) throw new WrongError(`install: ${installed.stderr.toString()}`);
    await createNode(server);
    const root = join(dir, "root");
    await makeNode(root);
    const parts = {
      "operator, leader": ["operator"],
      "operator, standby": ["operator"],
      webhook: ["webhook", "--register", "url"],
      agent: ["agent", "--node", "n", "--root", root],
    };
    for (const words of Object.values(parts)) {
      const proxy = await CountingProxy.open(server);
      proxies.push(proxy);
      const child = spawn(process.execPath, ["bin/attune", ...words, "--kubeconfig", proxy.kubeconfig], {
        stdio: "ignore",
      });
      const kill = (): void => void child.kill("SIGKILL");
      process.once("exit", kill);
      kills.push(kill);
      // The first operator leads.
      await delay(settleMs / 10);
    }
    await delay(settleMs);
    for (const { counts } of proxies) counts.clear();
    await delay(minutes * 60_000);
    return Object.keys(parts).map((name, index) => {
      const { counts = new Map<string, number>(), total = 0 } = proxies[index] ?? {};
      return { name, counts: new Map(counts), total };
    });
  } finally {
    for (const kill of kills) {
      kill();
      process.off("exit", kill);
    }
    for (const proxy of proxies) await proxy.close();
    await rm(dir, { recursive: true, force: true });
  }
}

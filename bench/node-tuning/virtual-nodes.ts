import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { median, ratio, shown, type Section } from "../harness/report.ts";
import { type BenchServer, withServers } from "../harness/servers.ts";
import { largeNode } from "./large-node.ts";
import { startOperator, nodesPath, profilesPath, TuningCluster, type Write } from "./tuning-cluster.ts";

const count = 50;
const file = "/proc/sys/vm/swappiness";
const bar = 3;

/** From the edit of a Tuned to its value on every node, compared with bare writes of as many Profiles and statuses. */
export const virtualNodes: Section = {
  name: "virtual-nodes",
  async measure({ quick, report }) {
    const rounds = quick ? 5 : 15;
    await withServers((servers) =>
      withServers(async (twins) => {
        for (const [index, server] of servers.entries()) {
          const { tuned, bare } = await measured(server, twins[index] as BenchServer, rounds);
          report.table(
            `An edit of a Tuned for ${count} virtual nodes, on ${server.name}, median of ${rounds} rounds`,
            ["from the edit to the value on all", "bare writes", "to bare"],
            [[shown(median(tuned), "ms"), shown(median(bare), "ms"), ratio(median(tuned), median(bare))]],
          );
          report.bar({
            what: `from an edit to all ${count} virtual nodes ≤ ${bar} × bare writes of Profiles and statuses, on ${server.name}`,
            measured: ratio(median(tuned), median(bare)),
            met: median(tuned) <= bar * median(bare),
          });
        }
      }),
    );
  },
};

async function measured(server: BenchServer, other: BenchServer, rounds: number) {
  const cluster = await TuningCluster.open(server);
  const twin = await TuningCluster.open(other);
  const agents = await Agents.start(cluster.kubeconfig);
  const nodes = Array.from({ length: count }, (_, index): Write => {
    return { method: "POST", path: nodesPath, body: largeNode(`node-${index}`, "a") };
  });
  await cluster.sendAll(nodes, 201);
  await cluster.createTuned("all", text(30), [{ label: "group", value: "a" }]);
  const operator = await startOperator(cluster);
  try {
    await agents.whenAllHave(30);
    const creates = (await cluster.list(profilesPath)).items.map(({ metadata: { name }, spec }): Write => {
      const body = JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Profile", metadata: { name }, spec });
      return { method: "POST", path: profilesPath, body };
    });
    await twin.sendAll(creates, 201);
    const tuned: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const value = 31 + round;
      const started = performance.timeOrigin + performance.now();
      await cluster.editTuned("all", { profile: [{ name: "all", data: text(value) }] });
      tuned.push((await agents.whenAllHave(value)) - started);
      bare.push(await bareWrites(twin, cluster));
    }
    return { tuned, bare };
  } finally {
    await operator.stop();
    await agents.stop();
    await cluster.close();
    await twin.close();
  }
}

/** Sends the writes of operator and agents to the second server: specs first, then statuses. */
async function bareWrites(twin: TuningCluster, cluster: TuningCluster): Promise<number> {
  await cluster.seenByOperator();
  const wanted = new Map((await cluster.list(profilesPath)).items.map((item) => [item.metadata.name, item]));
  const specs = (await twin.list(profilesPath)).items.map((item): Write => {
    const { name } = item.metadata;
    const body = JSON.stringify({ ...item, spec: wanted.get(name)?.spec });
    return { method: "PUT", path: `${profilesPath}/${name}`, body };
  });
  const statuses = Array.from(wanted, ([name, { status }]): Write => {
    const body = JSON.stringify({ status });
    return {
      method: "PATCH",
      path: `${profilesPath}/${name}/status`,
      body,
      contentType: "application/merge-patch+json",
    };
  });
  const started = performance.now();
  await twin.sendAll(specs, 200);
  await twin.sendAll(statuses, 200);
  return performance.now() - started;
}

const text = (value: number): string => `[main]\nsummary=x\n[sysctl]\nvm.swappiness=${value}\n`;

/** The agents, in their own process. */
class Agents {
  readonly #child;
  #latest: { value: string; at: number } | undefined;
  #notify = (): void => {};

  private constructor(child: ReturnType<typeof spawn>) {
    this.#child = child;
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const [value = "", at] = line.split(" ");
      this.#latest = { value, at: Number(at) };
      this.#notify();
    });
  }

  static async start(kubeconfig: string): Promise<Agents> {
    const program = join(dirname(process.argv[1] ?? ""), "agents-process.mjs");
    const child = spawn(process.execPath, [program, kubeconfig, String(count), file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.once("exit", () => child.kill("SIGKILL"));
    return new Agents(child);
  }

  /** The wall time at which the last node got the value. */
  async whenAllHave(value: number): Promise<number> {
    while (this.#latest?.value !== String(value)) await new Promise<void>((resolve) => (this.#notify = resolve));
    return this.#latest.at;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

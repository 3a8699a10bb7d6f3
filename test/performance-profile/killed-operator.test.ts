import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { type Clock, systemClock } from "../../src/cluster/runtime/clock.ts";
import {
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { heldAnnotation } from "../../src/domain/rollout/held.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { FaultProxy } from "../fault-proxy/fault-proxy.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { type OperatorProcess, startOperatorProcess } from "../node-tuning-faults/operator-process.ts";
import { changes, type ProfileChange } from "./profile-changes.ts";
import { poolName, type ProfileCluster, tunedCluster } from "./profile-cluster.ts";
import { operatorUntil } from "./stopped-operator.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("not run without ATTUNE_LONG: kill -9 of the operator's process at each of its writes");

/** Every config that the pool had as its target, in order. */
async function targets({ client, signal, run }: ProfileCluster): Promise<readonly string[]> {
  // Without a profile the pool has a config too, to which it returns.
  const metadata = { name: "00-worker-cnf", labels: { [roleLabel]: poolName } };
  const { apiVersion, kind } = machineConfigKind;
  await client.create(machineConfigKind, { apiVersion, kind, metadata, spec: { kernelArguments: ["quiet"] } });
  const names: string[] = [];
  const follow = async (): Promise<void> => {
    for await (const event of client.watch(machineConfigPoolKind, { sendInitialEvents: true, signal })) {
      if (event.type === "BOOKMARK" || event.type === "ERROR" || event.object.metadata.name !== poolName) continue;
      const name = event.object.spec?.configuration?.name;
      if (name !== undefined && name !== names.at(-1)) names.push(name);
    }
  };
  run(follow().catch((error: unknown) => void (signal.aborted || Promise.reject(error as Error))));
  return names;
}

/** Whether the pool has all of a change as its target, and the objects of the profile are all there, or all gone. */
async function isOver({ client }: ProfileCluster, { ends }: ProfileChange): Promise<boolean> {
  const { metadata, spec } = await client.get(machineConfigPoolKind, poolName);
  const { name } = spec?.configuration ?? {};
  if (name === undefined || metadata.annotations?.[heldAnnotation] !== undefined) return false;
  const words = (await client.get(machineConfigKind, name)).spec?.kernelArguments ?? [];
  const lists = await Promise.all([
    client.list(performanceProfileKind),
    client.list(kubeletConfigKind),
    client.list(kinds.runtimeClass),
    client.list(tunedKind, { namespace: tuningNamespace }),
  ]);
  const counts = lists.map(({ items }) => items.length).join(" ");
  return ends === undefined ? words.length === 1 && counts === "0 0 0 1" : words.includes(ends) && counts === "1 1 1 2";
}

/** Time runs faster, so that nothing waits for the barrier. */
const fast: Clock = {
  now: () => start + (systemClock.now() - start) * 20,
  monotonic: () => systemClock.monotonic() * 20,
  after: (ms, callback) => systemClock.after(ms / 20, callback),
};
const start = systemClock.now();

/** Kills an operator at each of its writes during each change. `kill` resolves with whether the operator came so far. */
async function killAtEachWrite(
  cluster: ProfileCluster,
  writes: { readonly first: number; readonly last: number },
  operator: {
    readonly kill: (at: number, isOver: () => Promise<boolean>) => Promise<boolean>;
    readonly finish: (isOver: () => Promise<boolean>) => Promise<void>;
  },
): Promise<string[]> {
  const names = await targets(cluster);
  const results: string[] = [];
  const isFirst = (): Promise<boolean> => Promise.resolve(names.length > 0);
  await operator.finish(isFirst);
  for (let at = writes.first, isReached = true; isReached && at <= writes.last; at++) {
    isReached = false;
    for (const [index, change] of changes.entries()) {
      const before = names.length;
      await change.make(cluster.client);
      const over = (): Promise<boolean> => isOver(cluster, change);
      isReached = (await operator.kill(at, over)) || isReached;
      await operator.finish(over);
      results.push(`change ${index}, killed after write ${at}: ${names.length - before} rollouts`);
    }
  }
  return results;
}

describe("an operator that is killed while it carries out a PerformanceProfile", { timeout: 1_800_000 }, () => {
  it("costs no second rollout and leaves nothing behind, at any write (machine-config W-20)", async () => {
    const cluster = await tunedCluster(["a", "b"]);
    const { client } = cluster;
    const writes = isLong ? { first: 1, last: Infinity } : { first: 8, last: 8 };
    const results = await killAtEachWrite(cluster, writes, {
      kill: async (at, over) => {
        const killed = operatorUntil(client, at, { clock: fast });
        await Promise.race([killed.stopped, eventually("the change is over", over, 100_000)]);
        await killed.stop();
        return killed.reached();
      },
      finish: async (over) => {
        const operator = operatorUntil(client, Infinity, { clock: fast });
        await eventually("the change is over", over, 100_000);
        await operator.stop();
      },
    });
    expect(results.length).toBeGreaterThanOrEqual(isLong ? 60 : 3);
    expect(results.filter((text) => !text.endsWith(": 1 rollouts"))).toEqual([]);
  });

  it.skipIf(!isLong)("nor does a process that is killed with SIGKILL, at any write", async () => {
    const servers: ApiServer[] = [];
    const cluster = await tunedCluster(["a", "b"], async (dir) => {
      servers.push(await startServer({ dir, storage: "memory" }));
      return servers[0] as ApiServer;
    });
    const operators = await OperatorProcesses.start(servers[0] as ApiServer, cluster);
    const results = await killAtEachWrite(cluster, { first: 1, last: Infinity }, operators);
    expect(results.length).toBeGreaterThanOrEqual(60);
    expect(results.filter((text) => !text.endsWith(": 1 rollouts"))).toEqual([]);
  });
});

/** Operators as processes, behind a proxy that counts their writes. */
class OperatorProcesses {
  readonly #cluster: ProfileCluster;
  readonly #attune: Program;
  readonly #kubeconfig: string;
  #counted = 0;
  #at = Infinity;
  #operator: OperatorProcess | undefined;

  private constructor(cluster: ProfileCluster, attune: Program) {
    this.#cluster = cluster;
    this.#attune = attune;
    this.#kubeconfig = join(cluster.dir, "proxy.kubeconfig");
  }

  static async start(server: ApiServer, cluster: ProfileCluster): Promise<OperatorProcesses> {
    const attune = await Program.build();
    const processes = new OperatorProcesses(cluster, attune);
    const { serverCertPem: cert, serverKeyPem: key, caPem, adminToken: token } = server.authority;
    const onAnswer = (request: IncomingMessage, answer: IncomingMessage): void => processes.#count(request, answer);
    const proxy = new FaultProxy({ cert, key, upstream: { url: server.url, ca: caPem }, onAnswer });
    await proxy.listen();
    await writeKubeconfig(processes.#kubeconfig, { server: proxy.url, caPem, token });
    onTestFinished(async () => {
      await processes.#end();
      await proxy.close();
      await attune.remove();
    });
    return processes;
  }

  /** The write is stored, and the operator never gets its answer. */
  #count({ method = "", url = "" }: IncomingMessage, { statusCode = 0 }: IncomingMessage): void {
    if (method === "GET" || statusCode >= 300 || /\/(leases|events)/.test(url)) return;
    if (++this.#counted === this.#at) this.#operator?.signal("SIGKILL");
  }

  async kill(at: number, over: () => Promise<boolean>): Promise<boolean> {
    await this.#begin(at);
    await Promise.race([this.#operator?.ended, eventually("the change is over", over, 100_000)]);
    await this.#end();
    return this.#counted >= at;
  }

  async finish(over: () => Promise<boolean>): Promise<void> {
    await this.#begin(Infinity);
    await eventually("the change is over", over, 100_000);
    await this.#end();
  }

  async #begin(at: number): Promise<void> {
    // Otherwise each operator would wait for the lease of the one before.
    await ifThere(this.#cluster.client.delete(leaseKind, operatorLease, { namespace: tuningNamespace }));
    [this.#counted, this.#at] = [0, at];
    this.#operator = startOperatorProcess(this.#attune, this.#kubeconfig);
  }

  async #end(): Promise<void> {
    this.#operator?.signal("SIGKILL");
    await this.#operator?.ended;
  }
}

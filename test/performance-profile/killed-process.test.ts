import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import { leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { FaultProxy } from "../fault-proxy/fault-proxy.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { type OperatorProcess, startOperatorProcess } from "../node-tuning-faults/operator-process.ts";
import { killAtEachWrite, longestChangeMs } from "./killed-at-writes.ts";
import { type ProfileCluster, tunedCluster } from "./profile-cluster.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("not run without ATTUNE_LONG: kill -9 of the operator's process at each of its writes");

describe(
  "an operator's process that is killed while it carries out a PerformanceProfile",
  { timeout: 1_800_000 },
  () => {
    it.skipIf(!isLong)("costs no second rollout and leaves nothing behind, at any write", async () => {
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
  },
);

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
    await Promise.race([this.#operator?.ended, eventually("the change is over", over, longestChangeMs)]);
    await this.#end();
    return this.#counted >= at;
  }

  async finish(over: () => Promise<boolean>): Promise<void> {
    await this.#begin(Infinity);
    await eventually("the change is over", over, longestChangeMs);
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

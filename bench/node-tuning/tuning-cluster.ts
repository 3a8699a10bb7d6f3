import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { apiVersion, profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { type HttpConnection, type Reply, requestBytes } from "../harness/http-connection.ts";
import { drive, jsonOf, openConnections, WrongError } from "../harness/load.ts";
import { type BenchServer, kubeconfigOf } from "../harness/servers.ts";
import { EventCount } from "./event-count.ts";

export const profilesPath = `/apis/${apiVersion}/namespaces/${namespace}/${profileKind.plural}`;
export const tunedsPath = `/apis/${apiVersion}/namespaces/${namespace}/${tunedKind.plural}`;
export const nodesPath = "/api/v1/nodes";

/** Concurrent writes: as many as the operator sends. */
export const concurrency = 16;

type Method = Parameters<typeof requestBytes>[1]["method"];

/** One write, before `requestBytes`. */
export interface Write {
  readonly method: Method;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

interface Item {
  metadata: { name: string; resourceVersion: string };
  spec: unknown;
  status?: unknown;
}

/** A server with the kinds of node tuning, used without a client library. */
export class TuningCluster {
  readonly server: BenchServer;
  readonly kubeconfig: string;
  readonly #dir: string;
  readonly #connections: readonly HttpConnection[];

  private constructor(server: BenchServer, dir: string, connections: readonly HttpConnection[]) {
    this.server = server;
    this.#dir = dir;
    this.kubeconfig = join(dir, "kubeconfig");
    this.#connections = connections;
  }

  static async open(server: BenchServer): Promise<TuningCluster> {
    const dir = await mkdtemp(join(tmpdir(), "attune-bench-tuning-"));
    const cluster = new TuningCluster(server, dir, await openConnections(server, concurrency));
    await writeFile(cluster.kubeconfig, kubeconfigOf(server));
    await cluster.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } }, 201);
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (const definition of nodeTuningCrds) await cluster.send("POST", definitions, definition, 201);
    for (const path of [profilesPath, tunedsPath])
      while ((await cluster.#request("GET", path)).status !== 200) await delay(20);
    return cluster;
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  async send(method: Method, path: string, body?: object, expected = 200): Promise<Record<string, unknown>> {
    const reply = await this.#request(method, path, body);
    const answer = jsonOf(reply);
    if (reply.status !== expected)
      throw new WrongError(`${method} ${path}: expected ${expected}, got ${reply.status}: ${String(answer.message)}`);
    return answer;
  }

  /** Sends all as fast as the connections take them. */
  async sendAll(writes: readonly Write[], expected: number): Promise<void> {
    const requests = writes.map((write) => requestBytes(this.server, write));
    await drive(this.#connections, requests, expected);
  }

  async list(path: string): Promise<{ items: Item[]; resourceVersion: string }> {
    const { items, metadata } = await this.send("GET", path);
    return { items: items as Item[], resourceVersion: (metadata as { resourceVersion: string }).resourceVersion };
  }

  /** Counts events of Profiles from now on. */
  async watchProfiles(): Promise<EventCount> {
    const { resourceVersion } = await this.list(`${profilesPath}?limit=1`);
    return EventCount.open(this.server, profilesPath, resourceVersion);
  }

  async createTuned(name: string, text: string, match: object[]): Promise<void> {
    const spec = { profile: [{ name, data: text }], recommend: [{ profile: name, priority: 20, match }] };
    await this.send("POST", tunedsPath, { apiVersion, kind: "Tuned", metadata: { name }, spec }, 201);
  }

  async editTuned(name: string, spec: object): Promise<void> {
    await this.send("PATCH", `${tunedsPath}/${name}`, { spec });
  }

  /** Creates a Tuned and waits until the operator writes its status: then it has seen all earlier changes too. */
  async seenByOperator(): Promise<void> {
    const name = `seen-${performance.now().toString().replace(".", "-")}`;
    await this.createTuned(name, "[main]\n", [{ label: "none" }]);
    for (;;) {
      const { status } = (await this.send("GET", `${tunedsPath}/${name}`)) as { status?: { conditions?: unknown } };
      if (status?.conditions) break;
      await delay(10);
    }
    await this.send("DELETE", `${tunedsPath}/${name}`);
  }

  async #request(method: Method, path: string, body?: object): Promise<Reply> {
    const [connection] = this.#connections;
    if (!connection) throw new Error("send a request: there is no connection");
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const text = body === undefined ? {} : { body: JSON.stringify(body), contentType };
    return connection.send(requestBytes(this.server, { method, path, ...text }));
  }
}

export interface OperatorProgram {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts `attune operator` as a user does; resolves when it leads and has seen all objects. */
export async function startOperator(cluster: TuningCluster): Promise<OperatorProgram> {
  const child = spawn(process.execPath, ["bin/attune", "operator", "--kubeconfig", cluster.kubeconfig], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await cluster.seenByOperator();
  return {
    pid: child.pid as number,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    },
  };
}

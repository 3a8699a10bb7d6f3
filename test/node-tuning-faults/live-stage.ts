import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { equal } from "../../src/language/object/json.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { FaultProxy } from "../fault-proxy/fault-proxy.ts";
import { clusterOperatorDefinition } from "../node-tuning/cluster-operator-definition.ts";
import { untilEstablished } from "../servers/until.ts";
import { playAgents } from "./agents.ts";
import type { RestartableServer, RestartableVariant } from "./restartable-server.ts";
import { operatorSettings } from "./stage.ts";
import { outcome } from "./story.ts";

/** A server with sockets, and a proxy between it and the operator. */
export class LiveStage {
  readonly proxy: FaultProxy;
  /** The client of the test, past the proxy. */
  readonly client: HttpClient;
  readonly #dir: string;
  readonly #proxyCa: string;
  readonly #server: RestartableServer;

  private constructor(dir: string, server: RestartableServer, proxy: FaultProxy, proxyCa: string) {
    this.#dir = dir;
    this.#server = server;
    this.proxy = proxy;
    this.#proxyCa = proxyCa;
    this.client = this.#clientOf(server.url, server.authority.caPem);
  }

  static async open(variant: RestartableVariant): Promise<LiveStage> {
    const dir = await mkdtemp(join(tmpdir(), "attune-tuning-faults-"));
    const server = await variant.start();
    const { serverCertPem, serverKeyPem, caPem } = await openAuthority(join(dir, "proxy"));
    const upstream = { url: server.url, ca: server.authority.caPem };
    const proxy = new FaultProxy({ cert: serverCertPem, key: serverKeyPem, upstream });
    await proxy.listen();
    const stage = new LiveStage(dir, server, proxy, caPem);
    const metadata = { name: tuningNamespace, labels: { any: "label" } };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata };
    await applyManifests(stage.client, [namespace, ...nodeTuningCrds, ...machineConfigCrds, clusterOperatorDefinition]);
    await untilEstablished(stage.client);
    return stage;
  }

  get kubeconfig(): string {
    return this.#server.kubeconfig;
  }

  restartServer(): Promise<void> {
    return this.#server.restart();
  }

  async close(): Promise<void> {
    this.client.close();
    await this.proxy.close();
    await this.#server.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** An operator behind the proxy, and the number of its requests. */
  startOperator(): { requests: () => number; stop: () => Promise<void> } {
    let sent = 0;
    const client = this.#clientOf(this.proxy.url, this.#proxyCa, () => sent++);
    const stop = new AbortController();
    const running = runOperator({ ...operatorSettings, client, leaderElection: false, signal: stop.signal });
    return {
      requests: () => sent,
      async stop() {
        stop.abort();
        await running;
        client.close();
      },
    };
  }

  /** Runs agents until the state is as expected, or the test times out. */
  async until(expected: Record<string, unknown>): Promise<void> {
    for (;;) {
      await playAgents(this.client).catch(ifAway);
      if (equal(await outcome(this.client).catch(ifAway), expected)) return;
      await delay(20);
    }
  }

  #clientOf(server: string, certificateAuthority: string, onRequest?: () => void): HttpClient {
    const credentials = staticCredentials(bearer(this.#server.authority.adminToken));
    const connection = { cluster: { server, certificateAuthority }, credentials, namespace: "default", name: "test" };
    return new HttpClient(connection, { timeoutMs: 5000, ...(onRequest ? { onRequest } : {}) });
  }
}

/** Errors while a server restarts or a Profile is deleted: try again. */
function ifAway(error: unknown): undefined {
  const { code } = error as { code?: number };
  if (code !== 0 && code !== 404 && code !== 409) throw error;
  return undefined;
}

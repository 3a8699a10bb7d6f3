import { setTimeout as delay } from "node:timers/promises";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { equal } from "../../src/language/object/json.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import type { FaultProxy } from "../fault-proxy/fault-proxy.ts";
import { ifAway, StruckServer } from "../fault-proxy/struck-server.ts";
import { clusterOperatorDefinition } from "../node-tuning/cluster-operator-definition.ts";
import { untilEstablished } from "../servers/until.ts";
import { playAgents } from "./agents.ts";
import type { RestartableVariant } from "./restartable-server.ts";
import { operatorSettings } from "./stage.ts";
import { outcome } from "./story.ts";

/** A server with sockets, and a proxy between it and the operator. */
export class LiveStage {
  readonly #struck: StruckServer;

  private constructor(struck: StruckServer) {
    this.#struck = struck;
  }

  static async open(variant: RestartableVariant): Promise<LiveStage> {
    const stage = new LiveStage(await StruckServer.open(await variant.start()));
    const metadata = { name: tuningNamespace, labels: { any: "label" } };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata };
    await applyManifests(stage.client, [namespace, ...nodeTuningCrds, ...machineConfigCrds, clusterOperatorDefinition]);
    await untilEstablished(stage.client);
    return stage;
  }

  get proxy(): FaultProxy {
    return this.#struck.proxy;
  }

  /** The client of the test, past the proxy. */
  get client(): HttpClient {
    return this.#struck.client;
  }

  get kubeconfig(): string {
    return this.#struck.server.kubeconfig;
  }

  restartServer(): Promise<void> {
    return this.#struck.restartServer();
  }

  close(): Promise<void> {
    return this.#struck.close();
  }

  /** An operator behind the proxy, and the number of its requests. */
  startOperator(): { requests: () => number; stop: () => Promise<void> } {
    let sent = 0;
    const client = this.#struck.behind(() => sent++);
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
}

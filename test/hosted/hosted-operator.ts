import type { Client } from "../../src/cluster/kube/client.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { type OperatorOptions, runOperator } from "../../src/program/operator/operator.ts";
import { controlPlane } from "./two-clusters.ts";

interface Clients {
  readonly management: { readonly client: Client };
  readonly hosted: { readonly client: Client };
}

/** The operator of the hosted cluster, which tests start and stop. */
export class HostedOperator {
  readonly #options: Omit<OperatorOptions, "signal">;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor({ management, hosted }: Clients, protocol: Protocol = "documented", more: Partial<OperatorOptions> = {}) {
    this.#options = {
      client: hosted.client,
      controlPlane: { client: management.client, namespace: controlPlane },
      image: "attune:test",
      agentServiceAccount: "attune-agent",
      version: "0.0.1",
      release: "4.22.0",
      protocol,
      leaderElection: false,
      features: { machineConfigPools: true, clusterOperators: true },
      ...more,
    };
  }

  /** Runs it until `stop`, or until that signal. */
  start(until?: AbortSignal): void {
    const stop = new AbortController();
    until?.addEventListener("abort", () => stop.abort());
    this.#running = { stop, ended: runOperator({ ...this.#options, signal: stop.signal }) };
  }

  async stop(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.ended;
    this.#running = undefined;
  }
}

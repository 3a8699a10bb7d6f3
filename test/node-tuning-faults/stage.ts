import { setMaxListeners } from "node:events";
import { SmallServer } from "../../src/embedded/apiserver/testing/small-server.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { runOperator, type OperatorOptions } from "../../src/program/operator/operator.ts";
import { clusterOperatorDefinition } from "../node-tuning/cluster-operator-definition.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { playAgents } from "./agents.ts";

export const nodes = untyped("v1", "Node", "nodes", false);

/** Options of every operator of these suites. */
export const operatorSettings = {
  image: "attune:test",
  agentServiceAccount: "attune-agent",
  version: "1.2.3",
  features: { machineConfigPools: true, clusterOperators: true },
} as const;

export interface Running {
  /** Why it ended without being stopped. */
  failure(): unknown;
  /** Stops it and waits until it has ended, advancing the clock. */
  stop(): Promise<void>;
}

/** A server and agents on one clock, which the test advances. */
export class Stage {
  readonly server = new SmallServer();
  /** The client of the test. */
  readonly client: Client = new DirectClient(this.server);
  readonly #stopHousekeeping: () => void;

  private constructor() {
    this.#stopHousekeeping = this.server.startHousekeeping();
  }

  static async open(): Promise<Stage> {
    const stage = new Stage();
    const { server } = stage;
    await server.createNamespaces(namespace, "default");
    for (const definition of [...nodeTuningCrds, ...machineConfigCrds, clusterOperatorDefinition])
      await server.create("customresourcedefinitions", definition);
    await server.settled();
    return stage;
  }

  get clock(): SmallServer["clock"] {
    return this.server.clock;
  }

  close(): void {
    this.#stopHousekeeping();
  }

  /** Starts an operator with empty caches, as a new process has. */
  startOperator(client: Client, options: Partial<OperatorOptions> = {}): Running {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const { clock } = this;
    const alone = { leaderElection: false };
    const running = runOperator({ ...operatorSettings, ...alone, client, clock, signal: stop.signal, ...options });
    const state = { ended: false, failure: undefined as unknown };
    void running.catch((error: unknown) => (state.failure = error)).finally(() => (state.ended = true));
    return {
      failure: () => state.failure,
      stop: async () => {
        stop.abort();
        while (!state.ended) await this.clock.advance(100);
      },
    };
  }

  /** Runs agents and operator until nothing is written for a second. `each` is called in between. */
  async settle(each: () => Promise<boolean> = () => Promise.resolve(false)): Promise<void> {
    let played = -1;
    for (let quiet = 0; quiet < 10;) {
      const before = this.server.store.revision;
      // Agents have nothing to do while nothing is written.
      if (played !== before) await playAgents(this.client);
      played = this.server.store.revision;
      await this.clock.advance(100);
      const disturbed = await each();
      quiet = !disturbed && this.server.store.revision === before ? quiet + 1 : 0;
    }
  }
}

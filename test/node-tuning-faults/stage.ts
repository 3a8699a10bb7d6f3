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

/** What every operator of these suites is told. */
export const operatorSettings = {
  image: "attune:test",
  agentServiceAccount: "attune-agent",
  version: "1.2.3",
  features: { machineConfigPools: true, clusterOperators: true },
} as const;

export interface Running {
  /** Why it ended, where nobody told it to. */
  failure(): unknown;
  /** Tells it to stop and waits until it has, moving the clock on. */
  stop(): Promise<void>;
}

/** A server, and agents that do what Profiles ask, on one clock that the test moves. */
export class Stage {
  readonly server = new SmallServer();
  /** The test's own. */
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

  /** As a process does that starts: with empty caches. */
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

  /** Agents and operator work until nothing is written for a second. `each` is called in between. */
  async settle(each: () => Promise<boolean> = () => Promise.resolve(false)): Promise<void> {
    for (let quiet = 0; quiet < 10;) {
      const before = this.server.store.revision;
      await playAgents(this.client);
      await this.clock.advance(100);
      const disturbed = await each();
      quiet = !disturbed && this.server.store.revision === before ? quiet + 1 : 0;
    }
  }
}

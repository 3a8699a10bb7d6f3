import { isApiError, isForbidden, isNotFound, isUnauthorized } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, pause } from "../../../cluster/runtime/clock.ts";
import { agentDaemonSetName } from "../../../domain/node-tuning/agent-daemon-set.ts";
import { type Profile, profileKind } from "../../../domain/node-tuning/api.ts";
import { type Answer, decideRemoval, isAnswered, type Removal, type RemovalEvidence } from "./decide-removal.ts";

/** How long an agent that ends waits for an answer. */
const timeoutMs = 5000;
/** How often it asks again while it is refused: for five seconds, which leaves most of the pod's grace period. */
const mostTries = 20;
const againMs = 250;

export interface RollbackOnRemovalOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
  /** The agent's own ServiceAccount, in the same namespace. */
  readonly serviceAccount: string;
  readonly profiles: Informer<Profile>;
  readonly clock: Clock;
}

/** Collects what `decideRemoval` needs, from the start of an agent to its end. */
export class RollbackOnRemoval {
  readonly #options: RollbackOnRemovalOptions;
  readonly #accounts: Informer;
  #hadDaemonSet = Promise.resolve(false);
  #serviceAccount: "found" | "deleted" | "never seen" = "never seen";

  constructor(options: RollbackOnRemovalOptions) {
    const { client, namespace, serviceAccount, clock } = options;
    this.#options = options;
    const selection = { namespace, fieldSelector: `metadata.name=${serviceAccount}` };
    this.#accounts = createInformer(client, kinds.serviceAccount as KindRef, { ...selection, clock });
    this.#accounts.subscribe(({ type }) => {
      this.#serviceAccount = type === "deleted" ? "deleted" : "found";
    });
  }

  /** Watches the ServiceAccount until the signal aborts: once it is deleted, the API server answers no question. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#findDaemonSet(signal), this.#accounts.run(signal)]);
  }

  /** Asks until it is answered: an API server that was away for a moment says nothing about the DaemonSet. */
  async #findDaemonSet(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const asked = this.#ask(kinds.daemonSet, agentDaemonSetName);
      this.#hadDaemonSet = asked.then((answer) => answer === "found");
      if (isAnswered(await asked)) return;
      await pause(this.#options.clock, timeoutMs, signal);
    }
  }

  /** Why the node is rolled back, or stays tuned. */
  async decide(): Promise<Removal> {
    const { clock } = this.#options;
    // Timers of the clock do not keep the process alive.
    const alive = setInterval(() => {}, 2 ** 30);
    try {
      for (let tries = 1; ; tries++) {
        const removal = decideRemoval(await this.#evidence());
        if (!removal.provisional || tries > mostTries) return removal;
        await pause(clock, againMs);
      }
    } finally {
      clearInterval(alive);
    }
  }

  async #evidence(): Promise<RemovalEvidence> {
    const { namespace, node, profiles } = this.#options;
    const [profile, daemonSet, own, hadDaemonSet] = await Promise.all([
      this.#ask(profileKind, node),
      this.#ask(kinds.daemonSet, agentDaemonSetName),
      this.#ask(kinds.namespace, namespace),
      this.#hadDaemonSet,
    ]);
    const cached = profiles.get(`${namespace}/${node}`) ? "found" : "missing";
    const watched = {
      profile: profiles.synced ? cached : "never seen",
      serviceAccount: this.#serviceAccount,
    } as const;
    return { profile, daemonSet, namespace: own, hadDaemonSet, watched };
  }

  async #ask(of: KindRef, name: string): Promise<Answer> {
    const { client, namespace } = this.#options;
    try {
      const { metadata } = await client.get(of, name, { ...(of.namespaced ? { namespace } : {}), timeoutMs });
      return metadata.deletionTimestamp === undefined ? "found" : "terminating";
    } catch (error) {
      if (isUnauthorized(error)) return "unauthorized";
      // The API server names the object. A proxy before it does not, and says nothing about the object.
      const isNamed = isApiError(error) && error.details !== undefined;
      if (isNotFound(error)) return isNamed ? "missing" : "not served";
      return isForbidden(error) && isNamed ? "forbidden" : "unknown";
    }
  }
}

import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { profileKind } from "../../domain/node-tuning/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/** How long an agent that ends waits for an answer. */
const timeoutMs = 5000;

export interface RollbackOnRemovalOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
}

/**
 * Whether an agent that ends rolls back: it does when its Profile or its DaemonSet is gone, and not when it is only
 * restarted. Without a definite answer of the API server it does not.
 */
export class RollbackOnRemoval {
  readonly #options: RollbackOnRemovalOptions;
  #hadDaemonSet = false;

  constructor(options: RollbackOnRemovalOptions) {
    this.#options = options;
  }

  /** Notes whether a DaemonSet exists: for an agent that was started by hand, a missing one means nothing. */
  async start(): Promise<void> {
    this.#hadDaemonSet = (await this.#find(kinds.daemonSet, agentDaemonSetName)).type === "found";
  }

  async isDue(): Promise<boolean> {
    const profile = await this.#find(profileKind, this.#options.node);
    if (profile.type === "gone") return true;
    if (!this.#hadDaemonSet || profile.type === "unknown") return false;
    const now = await this.#find(kinds.daemonSet, agentDaemonSetName);
    return now.type === "gone" || (now.type === "found" && now.object.metadata.deletionTimestamp !== undefined);
  }

  async #find(
    of: KindRef,
    name: string,
  ): Promise<{ type: "found"; object: KubeObject } | { type: "gone" } | { type: "unknown" }> {
    const { client, namespace } = this.#options;
    try {
      return { type: "found", object: await client.get(of, name, { namespace, timeoutMs }) };
    } catch (error) {
      return { type: isNotFound(error) ? "gone" : "unknown" };
    }
  }
}

import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { profileKind } from "../../domain/node-tuning/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/** How long an agent that ends waits for an answer. */
const timeoutMs = 5000;

export interface DismissalOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
}

/**
 * Whether an agent that is told to end is being restarted, or is no longer wanted: then its Profile or its DaemonSet is
 * gone. Whatever the server does not say for certain counts as a restart.
 */
export class Dismissal {
  readonly #options: DismissalOptions;
  #hadDaemonSet = false;

  constructor(options: DismissalOptions) {
    this.#options = options;
  }

  /** Looks whether there is a DaemonSet at all: an agent that was started by hand has none to miss. */
  async begin(): Promise<void> {
    this.#hadDaemonSet = (await this.#look(kinds.daemonSet, agentDaemonSetName)).type === "found";
  }

  async isDismissed(): Promise<boolean> {
    const profile = await this.#look(profileKind, this.#options.node);
    if (profile.type === "gone") return true;
    if (!this.#hadDaemonSet || profile.type === "unknown") return false;
    const now = await this.#look(kinds.daemonSet, agentDaemonSetName);
    return now.type === "gone" || (now.type === "found" && now.object.metadata.deletionTimestamp !== undefined);
  }

  async #look(
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

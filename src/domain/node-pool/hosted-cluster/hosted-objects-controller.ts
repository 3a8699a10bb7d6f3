import { ifThere, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { printable } from "../../rollout/node-annotations.ts";
import type { HostedState } from "./decide-hosted-cluster.ts";
import type { HostedKubeconfig } from "./kubeconfig.ts";

/** To one hosted cluster. */
export interface HostedConnection {
  readonly client: Client;
  close(): void;
}

export interface HostedObjectsOptions {
  readonly objects: readonly KubeObject[];
  readonly kindOf: (object: KubeObject) => KindRef;
  readonly connect: (kubeconfig: HostedKubeconfig) => Promise<HostedConnection>;
  readonly clock: Clock;
}

/** A hosted cluster that is down must not be waited for long. */
const timeoutMs = 10_000;
/** How often edits of hosted users are undone. */
const resyncMs = 300_000;
/** How often a hosted cluster is tried that cannot be reached. */
const retryMs = 30_000;
/** Reason of a kubeconfig that this process does not use: no operator gets it either. */
export const kubeconfigInvalid = "KubeconfigInvalid";
/** Of what a hosted cluster says, in a condition. */
const mostCharacters = 1000;

/** Keeps the objects that operators need in hosted clusters. */
export class HostedObjects {
  readonly #options: HostedObjectsOptions;
  /** By hosted cluster: what came of the last attempt, with which kubeconfig. */
  readonly #last = new Map<string, { readonly digest: string; readonly at: number; readonly state: HostedState }>();

  constructor(options: HostedObjectsOptions) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#last.delete(key);
  }

  /**
   * Applies them, unless that was tried a short time ago. Each report of a problem is an event: a hosted cluster that says
   * something else each time must not be asked again for it. `isRefusing`: its operator cannot write, as when users deleted
   * the kinds.
   */
  async apply(
    key: string,
    { kubeconfig, isRefusing }: { readonly kubeconfig: HostedKubeconfig; readonly isRefusing: boolean },
    signal: AbortSignal,
  ): Promise<HostedState> {
    const { clock } = this.#options;
    const { digest } = kubeconfig;
    const last = this.#last.get(key);
    const at = clock.monotonic();
    if (last?.digest === digest && at - last.at < againAfterMs(last.state, isRefusing)) return last.state;
    const state = await this.#applyAll(kubeconfig, signal);
    this.#last.set(key, { digest, at, state });
    return state;
  }

  async #applyAll(kubeconfig: HostedKubeconfig, signal: AbortSignal): Promise<HostedState> {
    let connection: HostedConnection | undefined;
    try {
      connection = await this.#options.connect(kubeconfig);
      for (const object of this.#options.objects) await this.#applyOne(connection.client, object, signal);
      return { type: "applied" };
    } catch (error) {
      signal.throwIfAborted();
      const text = error instanceof Error ? error.message : String(error);
      return connection
        ? problem("HostedClusterUnreachable", `apply the kinds of node tuning with ${kubeconfig.from}: ${text}`)
        : problem(kubeconfigInvalid, text);
    } finally {
      connection?.close();
    }
  }

  async #applyOne(client: Client, object: KubeObject, signal: AbortSignal): Promise<void> {
    const kind = this.#options.kindOf(object);
    const { name = "", namespace } = object.metadata;
    const request = { namespace, signal, timeoutMs };
    // Those of a release of OpenShift are updated with it.
    const isShared = object.kind === "CustomResourceDefinition" || object.kind === "Namespace";
    const found = isShared ? await ifThere(client.get(kind, name, request)) : undefined;
    if (found && !isOurs(found.metadata)) return;
    try {
      await client.patch(kind, name, { type: "apply", object, force: true }, { ...request, fieldManager: "attune" });
    } catch (error) {
      // Kubernetes before 1.30 has no such policies.
      if (!isNotFound(error) || !object.kind.startsWith("ValidatingAdmissionPolicy")) throw error;
    }
  }
}

export function againAfterMs({ type }: HostedState, isRefusing: boolean): number {
  return type === "applied" && !isRefusing ? resyncMs : retryMs;
}

function problem(reason: string, message: string): HostedState {
  return { type: "problem", reason, message: printable(message, mostCharacters) };
}

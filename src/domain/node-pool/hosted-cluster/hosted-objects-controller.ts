import { ifThere, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { HostedState } from "./decide-hosted-cluster.ts";
import type { HostedKubeconfig } from "./kubeconfig.ts";

/** A connection to one hosted cluster. */
export type HostedClient = Client & { close(): void };

export interface HostedObjectsOptions {
  readonly objects: readonly KubeObject[];
  readonly kindOf: (object: KubeObject) => KindRef;
  readonly connect: (kubeconfig: HostedKubeconfig) => Promise<HostedClient>;
  readonly clock: Clock;
}

/** A hosted cluster that is down must not be waited for long. */
const timeoutMs = 10_000;
/** How often edits of hosted users are undone. */
export const resyncMs = 300_000;

/** Keeps the objects that operators need in hosted clusters. */
export class HostedObjects {
  readonly #options: HostedObjectsOptions;
  /** By hosted cluster: what was applied with which kubeconfig. */
  readonly #applied = new Map<string, { readonly digest: string; readonly at: number }>();

  constructor(options: HostedObjectsOptions) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#applied.delete(key);
  }

  /** Applies them, unless they were applied a short time ago. */
  async apply(key: string, kubeconfig: HostedKubeconfig, signal: AbortSignal): Promise<HostedState> {
    const { clock } = this.#options;
    const last = this.#applied.get(key);
    if (last?.digest === kubeconfig.digest && clock.monotonic() - last.at < resyncMs) return { type: "applied" };
    this.#applied.delete(key);
    try {
      await this.#applyAll(kubeconfig, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { type: "problem", ...reasonOf(error, kubeconfig) };
    }
    this.#applied.set(key, { digest: kubeconfig.digest, at: clock.monotonic() });
    return { type: "applied" };
  }

  async #applyAll(kubeconfig: HostedKubeconfig, signal: AbortSignal): Promise<void> {
    const client = await this.#options.connect(kubeconfig);
    try {
      for (const object of this.#options.objects) await this.#applyOne(client, object, signal);
    } finally {
      client.close();
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

function reasonOf(error: unknown, { from }: HostedKubeconfig): { readonly reason: string; readonly message: string } {
  const text = error instanceof Error ? error.message : String(error);
  return text.startsWith("read kubeconfig")
    ? { reason: "KubeconfigInvalid", message: text }
    : { reason: "HostedClusterUnreachable", message: `apply the kinds of node tuning with ${from}: ${text}` };
}

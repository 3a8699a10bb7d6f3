import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { untilCached } from "../../cluster/kube/informer/until-cached.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { otherDeployment } from "./rbac.ts";

interface Scaled extends KubeObject {
  readonly spec: { readonly replicas: number };
}

export interface OtherOperatorOptions {
  readonly namespace: string;
  readonly clock: Clock;
  /** Prints what Attune waits for. */
  readonly print: (line: string) => void;
}

/**
 * The operator that Attune replaces. Both use the same Lease, so they never act at the same time. But while the other one is
 * not scaled to zero, Attune must not take over when it merely restarts.
 */
export class OtherOperator {
  /** Of its Deployment. */
  readonly informer: Informer<Scaled>;
  readonly #options: OtherOperatorOptions;
  #printed = false;

  constructor(client: Client, options: OtherOperatorOptions) {
    const { namespace, clock } = options;
    this.#options = options;
    this.informer = informerOfOne(client, kinds.deployment, {
      namespace,
      name: otherDeployment,
      clock,
      project: ({ apiVersion, kind, metadata: { name, namespace: where }, spec }): Scaled => ({
        apiVersion,
        kind,
        metadata: { name, namespace: where },
        spec: { replicas: spec?.replicas ?? 1 },
      }),
    });
  }

  /** Waits until it is scaled to zero or deleted, or the signal aborts. */
  async untilStopped(signal: AbortSignal): Promise<void> {
    await untilCached([this.informer], () => this.#isStopped(), signal);
  }

  #isStopped(): boolean {
    if (this.informer.list().every(({ spec }) => spec.replicas === 0)) return true;
    const { namespace, print } = this.#options;
    if (!this.#printed)
      print(
        `waiting: Deployment ${namespace}/${otherDeployment} manages this cluster; to hand over, run: attune take-over --apply`,
      );
    this.#printed = true;
    return false;
  }
}

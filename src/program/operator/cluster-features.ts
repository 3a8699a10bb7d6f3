import type { Client } from "../../cluster/kube/client.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { ServedKind } from "../../cluster/kube/informer/served-kind.ts";
import { untilCached } from "../../cluster/kube/informer/until-cached.ts";
import { kubeletConfigKind, machineConfigKind, machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { clusterOperatorKind } from "../../domain/node-tuning/node-tuning-controller.ts";
import { performanceProfileKind } from "../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { infrastructureKind } from "../../domain/workload-partitioning/partitioning-mode.ts";
import { equal } from "../../language/object/json.ts";
import type { KindRef } from "../../language/object/meta.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";

/** Optional kinds that the cluster serves. */
export interface ClusterFeatures {
  /** MachineConfigPools and MachineConfigs. */
  readonly machineConfigPools: boolean;
  /** OpenShift's ClusterOperators, for the status of the operator. */
  readonly clusterOperators: boolean;
  /** PerformanceProfiles, from which the operator derives objects. */
  readonly performanceProfiles?: boolean;
  /** KubeletConfigs, which derived objects include. */
  readonly kubeletConfigs?: boolean;
  /** OpenShift's Infrastructure and FeatureGate, on which derived objects depend. */
  readonly infrastructures?: boolean;
  readonly featureGates?: boolean;
}

/** None of them. */
export const plain: ClusterFeatures = { machineConfigPools: false, clusterOperators: false };

/** All kinds that features depend on. */
const optionalKinds: readonly KindRef[] = [
  machineConfigPoolKind,
  machineConfigKind,
  clusterOperatorKind,
  performanceProfileKind,
  kubeletConfigKind,
  infrastructureKind,
  featureGateKind,
];

function featuresOf(isServed: (kind: KindRef) => boolean): ClusterFeatures {
  return {
    machineConfigPools: isServed(machineConfigPoolKind) && isServed(machineConfigKind),
    clusterOperators: isServed(clusterOperatorKind),
    performanceProfiles: isServed(performanceProfileKind),
    kubeletConfigs: isServed(kubeletConfigKind),
    infrastructures: isServed(infrastructureKind),
    featureGates: isServed(featureGateKind),
  };
}

/** The features now. */
export async function clusterFeatures(client: Client, signal: AbortSignal): Promise<ClusterFeatures> {
  const discovery = new Discovery(client);
  const found = await Promise.all(
    optionalKinds.map(async ({ apiVersion, kind }) => discovery.kind(apiVersion, kind, { signal })),
  );
  return featuresOf((kind) => found[optionalKinds.indexOf(kind)] !== undefined);
}

/** Follows the features, by a watch of the CustomResourceDefinition of each kind. */
export class FeatureWatch {
  readonly #kinds: ReadonlyMap<KindRef, ServedKind>;

  constructor(client: Client, { clock, log = noLog }: { readonly clock: Clock; readonly log?: Log | undefined }) {
    const hooks = {
      onError: (error: unknown): void => log.warn({ error }, "cannot watch CustomResourceDefinitions"),
    };
    this.#kinds = new Map(optionalKinds.map((kind) => [kind, new ServedKind(client, kind, { clock, hooks })]));
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers().map((informer) => informer.run(signal)));
  }

  /** The features, once they are known and differ from `before`; undefined when the signal aborts first. */
  async next(before: ClusterFeatures | undefined, signal: AbortSignal): Promise<ClusterFeatures | undefined> {
    await untilCached(this.#informers(), () => !equal(this.#features(), before), signal);
    return signal.aborted ? undefined : this.#features();
  }

  #features(): ClusterFeatures {
    return featuresOf((kind) => this.#kinds.get(kind)?.isServed ?? false);
  }

  #informers(): ServedKind["informer"][] {
    return [...this.#kinds.values()].map(({ informer }) => informer);
  }
}

export function describeFeatures({ machineConfigPools, clusterOperators }: ClusterFeatures): string {
  const yes = (is: boolean): string => (is ? "yes" : "no");
  return `machine config pools: ${yes(machineConfigPools)}, cluster operators: ${yes(clusterOperators)}`;
}

import { setMaxListeners } from "node:events";
import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { ExistingObject } from "../../cluster/kube/informer/existing-object.ts";
import { ServedKind } from "../../cluster/kube/informer/served-kind.ts";
import { type Followed, untilCached } from "../../cluster/kube/informer/until-cached.ts";
import {
  containerRuntimeConfigKind,
  controllerConfigKind,
  controllerConfigName,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../domain/machine-config/api.ts";
import { clusterOperatorKind } from "../../domain/node-tuning/node-tuning-controller.ts";
import { performanceProfileKind } from "../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { infrastructureKind } from "../../domain/workload-partitioning/identifier.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../domain/scylla/api.ts";
import { equal } from "../../language/object/json.ts";
import type { KindRef } from "../../language/object/meta.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";

/** Optional kinds that the cluster serves. */
export interface ClusterFeatures {
  /** MachineConfigPools and MachineConfigs. */
  readonly machineConfigPools: boolean;
  /** A machine config operator renders the pools and rolls them out: its ControllerConfig exists. */
  readonly machineConfigOperator?: boolean;
  /** OpenShift's ClusterOperators, for the status of the operator. */
  readonly clusterOperators: boolean;
  /** PerformanceProfiles, from which the operator derives objects. */
  readonly performanceProfiles?: boolean;
  /** KubeletConfigs, which derived objects include. */
  readonly kubeletConfigs?: boolean;
  readonly containerRuntimeConfigs?: boolean;
  /** OpenShift's Infrastructure and FeatureGate, on which derived objects depend. */
  readonly infrastructures?: boolean;
  readonly featureGates?: boolean;
  /** ScyllaNodeConfigs and the ScyllaOperatorConfig: nodes are tuned for databases. */
  readonly scyllaNodeConfigs?: boolean;
}

/** None of them. */
export const tuningOnly: ClusterFeatures = { machineConfigPools: false, clusterOperators: false };

/** Without any part of OpenShift. */
export function withoutOpenShift(features: ClusterFeatures): ClusterFeatures {
  return { ...features, clusterOperators: false, infrastructures: false, featureGates: false };
}

/** All kinds that features depend on. */
const optionalKinds: readonly KindRef[] = [
  machineConfigPoolKind,
  machineConfigKind,
  clusterOperatorKind,
  performanceProfileKind,
  kubeletConfigKind,
  containerRuntimeConfigKind,
  infrastructureKind,
  featureGateKind,
  scyllaNodeConfigKind,
  scyllaOperatorConfigKind,
];

function featuresOf(isServed: (kind: KindRef) => boolean, machineConfigOperator: boolean): ClusterFeatures {
  return {
    machineConfigPools: isServed(machineConfigPoolKind) && isServed(machineConfigKind),
    machineConfigOperator,
    clusterOperators: isServed(clusterOperatorKind),
    performanceProfiles: isServed(performanceProfileKind),
    kubeletConfigs: isServed(kubeletConfigKind),
    containerRuntimeConfigs: isServed(containerRuntimeConfigKind),
    infrastructures: isServed(infrastructureKind),
    featureGates: isServed(featureGateKind),
    scyllaNodeConfigs: isServed(scyllaNodeConfigKind) && isServed(scyllaOperatorConfigKind),
  };
}

/**
 * Whether Attune renders the pools and rolls them out. Never on OpenShift: while a cluster is installed there, its machine
 * config operator comes after the kinds.
 */
export function rollsOut(features: ClusterFeatures): boolean {
  return features.machineConfigPools && !features.machineConfigOperator && !features.clusterOperators;
}

/** The features now. Without the rights of machine configuration, `mayRead` is false, and none is reported. */
export async function clusterFeatures(client: Client, signal: AbortSignal, mayRead = true): Promise<ClusterFeatures> {
  const discovery = new Discovery(client);
  const found = await Promise.all(
    optionalKinds.map(async ({ apiVersion, kind }) => discovery.kind(apiVersion, kind, { signal })),
  );
  const isServed = (kind: KindRef): boolean => found[optionalKinds.indexOf(kind)] !== undefined;
  return featuresOf(isServed, mayRead && (await hasMachineConfigOperator(client, signal)));
}

async function hasMachineConfigOperator(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(controllerConfigKind, controllerConfigName, { signal });
    return true;
  } catch (error) {
    // The object or its kind.
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Follows the features, by a watch of the CustomResourceDefinition of each kind and of the ControllerConfig. */
export class FeatureWatch {
  readonly #kinds: ReadonlyMap<KindRef, ServedKind>;
  readonly #machineConfigOperator: ExistingObject;

  constructor(client: Client, { clock, log = noLog }: { readonly clock: Clock; readonly log?: Log | undefined }) {
    const hooks = {
      onError: (error: unknown): void => log.warn({ error }, "cannot watch which kinds the cluster has"),
    };
    this.#kinds = new Map(optionalKinds.map((kind) => [kind, new ServedKind(client, kind, { clock, hooks })]));
    const controllerConfig = { kind: controllerConfigKind, name: controllerConfigName };
    this.#machineConfigOperator = new ExistingObject(client, controllerConfig, { clock, hooks });
  }

  async run(signal: AbortSignal): Promise<void> {
    // Every informer listens: Node.js takes more than ten listeners for a leak.
    setMaxListeners(0, signal);
    await Promise.all([...this.#followed(), this.#machineConfigOperator].map((followed) => followed.run(signal)));
  }

  /** The features, once they are known and differ from `before`; undefined when the signal aborts first. */
  async next(before: ClusterFeatures | undefined, signal: AbortSignal): Promise<ClusterFeatures | undefined> {
    const followed: Followed[] = [...this.#followed(), this.#machineConfigOperator];
    const isNew = (): boolean => this.#machineConfigOperator.isKnown && !equal(this.#features(), before);
    await untilCached(followed, isNew, signal);
    return signal.aborted ? undefined : this.#features();
  }

  #features(): ClusterFeatures {
    return featuresOf((kind) => this.#kinds.get(kind)?.isServed ?? false, this.#machineConfigOperator.exists);
  }

  #followed(): ServedKind["informer"][] {
    return [...this.#kinds.values()].map(({ informer }) => informer);
  }
}

export function describeFeatures(features: ClusterFeatures): string {
  const operators = `cluster operators: ${features.clusterOperators ? "yes" : "no"}`;
  const scylla = features.scyllaNodeConfigs ? ", Scylla node configs: yes" : "";
  return `machine config pools: ${describeMachineConfiguration(features)}, ${operators}${scylla}`;
}

/** Who renders the pools and rolls them out. */
export function describeMachineConfiguration(features: ClusterFeatures): string {
  if (!features.machineConfigPools) return "no";
  if (features.machineConfigOperator) return "rolled out by the Machine Config Operator";
  return rollsOut(features) ? "rolled out by Attune" : "not rolled out (no Machine Config Operator yet)";
}

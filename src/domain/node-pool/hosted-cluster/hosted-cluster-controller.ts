import { ifThere, isAlreadyExists } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { act } from "../../../cluster/runtime/act/act.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import type { Condition } from "../../../language/object/condition.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { emptyPlan } from "../../../language/object/plan.ts";
import {
  controlPlaneNamespace,
  type HostedCluster,
  hostedClusterKind,
  hostedClusterOf,
  isTuned,
  type NodePool,
} from "../api.ts";
import { isRefused } from "../conditions.ts";
import { conditionOf, decideHostedCluster, type HostedState, nameOf, wantedObjects } from "./decide-hosted-cluster.ts";
import { againAfterMs, type HostedObjects, kubeconfigInvalid } from "./hosted-objects-controller.ts";
import {
  type HostedKubeconfig,
  kubeconfigName,
  kubeconfigOf,
  type KubeconfigRead,
  serviceNetworkSecret,
} from "./kubeconfig.ts";
import { isManaged, madeFor, markedFor } from "./marks.ts";
import { type Ownership, ownershipOf } from "./namespace-ownership.ts";

/** A kind of which objects are made for hosted clusters, and those that were, with `ownIndexes`. */
export interface OwnKind {
  readonly kind: KindRef;
  readonly cache: Informer;
}

export interface OperatorPlace {
  readonly hostedCluster: HostedCluster;
  /** The control plane namespace. */
  readonly namespace: string;
  readonly kubeconfig: HostedKubeconfig;
}

export interface HostedClusterOptions {
  readonly client: Client;
  /** With `hostedClusterIndexes`. */
  readonly hostedClusters: Informer<HostedCluster>;
  readonly namespaces: Informer;
  /** With `nodePoolIndexes`. */
  readonly nodePools: Informer<NodePool>;
  /** By name of the kind. */
  readonly own: ReadonlyMap<string, OwnKind>;
  /** What runs the operator of a hosted cluster. */
  readonly operatorObjects: (place: OperatorPlace) => readonly KubeObject[];
  readonly hostedObjects: HostedObjects;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

const fieldManager = "attune-management";

/** Runs the operator of each hosted cluster in its control plane namespace. */
export function hostedClusterController(options: HostedClusterOptions): Controller {
  const { client, hostedClusters, namespaces, nodePools, own, hostedObjects, clock } = options;

  const controller: Controller = new Controller({
    name: "hosted-cluster",
    clock,
    log: options.log,
    metrics: options.metrics,
    // Each may wait for its hosted cluster, and must not keep the others waiting.
    concurrency: 100,
    queue: { backoff: { maxMs: 60_000 } },
    sources: [
      source(hostedClusters, ({ object }) => [keyOf(object)]),
      source(namespaces, ({ object }) => claimantsOf(object.metadata.name ?? "").map(keyOf)),
      source(nodePools, (event) =>
        isRefused(event.object) !== ("before" in event && isRefused(event.before))
          ? [hostedClusterOf(event.object)]
          : [],
      ),
      ...Array.from(own.values(), ({ cache }) => source(cache, ({ object }) => madeFor(object))),
    ],
    async reconcile(key, { signal, log }): Promise<Result | undefined> {
      const found = hostedClusters.get(key);
      const hostedCluster = found && isTuned(found) && !found.metadata.deletionTimestamp ? found : undefined;
      if (!hostedCluster) hostedObjects.forget(key);
      const namespace = hostedCluster ? placeOf(hostedCluster) : "";
      const ownership = hostedCluster ? await claimNamespace(namespace, key, signal) : undefined;
      if (hostedCluster && ownership?.type === "taken") {
        const { message } = ownership;
        const condition = conditionOf(
          hostedCluster,
          { status: "False", reason: "NamespaceTaken", message },
          clock.now(),
        );
        if (condition) await report(hostedCluster, condition, signal);
        return undefined;
      }
      const read = hostedCluster ? await readKubeconfig(hostedCluster, signal) : unread;
      const isRefusing = nodePools.byIndex("hostedCluster", key).some(isRefused);
      const hosted: HostedState =
        read.type === "kubeconfig"
          ? await hostedObjects.apply(key, { kubeconfig: read.kubeconfig, isRefusing }, signal)
          : unapplied;
      // Its commands and files would be those of the operator, which has credentials of the management cluster.
      const kubeconfig = hosted.type === "problem" && hosted.reason === kubeconfigInvalid ? hosted : read;
      const objects = (used: HostedKubeconfig): readonly KubeObject[] =>
        hostedCluster ? options.operatorObjects({ hostedCluster, namespace, kubeconfig: used }) : [];
      const taken =
        kubeconfig.type === "kubeconfig"
          ? await takenAmong(wantedObjects({ objects }, kubeconfig.kubeconfig), signal)
          : new Set<string>();
      const decision = decideHostedCluster({
        key,
        hostedCluster,
        kubeconfig,
        hosted,
        own: ownOf(key),
        taken,
        objects,
        now: clock.now(),
      });
      const plan = {
        ...emptyPlan(),
        objects: [...decision.objects],
        prunes: [...decision.prunes],
        requeueAfterMs: hostedCluster ? againAfterMs(hosted, isRefusing) : undefined,
      };
      const result = await act(plan, {
        client,
        kinds: (_apiVersion, kind) => known(kind).kind,
        observed: (of) => known(of.kind).cache.get(keyOf(of)),
        fieldManager,
        signal,
        log,
      });
      if (hostedCluster && decision.condition) await report(hostedCluster, decision.condition, signal);
      return result;
    },
  });

  /** Others report about it too: server-side apply leaves their conditions alone. */
  async function report(
    { apiVersion, kind, metadata: { name = "", namespace } }: HostedCluster,
    condition: Condition,
    signal: AbortSignal,
  ): Promise<void> {
    const object = { apiVersion, kind, metadata: { name, namespace }, status: { conditions: [condition] } };
    const options = { namespace, subresource: "status", fieldManager, signal };
    await ifThere(client.patch(hostedClusterKind, name, { type: "apply", object, force: true }, options));
  }

  function known(kind: string): OwnKind {
    const found = own.get(kind);
    if (!found) throw new TypeError(`hosted clusters have no ${kind}`);
    return found;
  }

  function ownOf(key: string): KubeObject[] {
    return Array.from(own.values()).flatMap(({ cache }) => cache.byIndex("hostedCluster", key));
  }

  async function readKubeconfig(hostedCluster: HostedCluster, signal: AbortSignal): Promise<KubeconfigRead> {
    const { namespace } = hostedCluster.metadata;
    const controlPlane = placeOf(hostedCluster);
    const name = kubeconfigName(hostedCluster);
    const [given, beside] = await Promise.all([
      name === "" ? undefined : ifThere(client.get(kinds.secret, name, { namespace, signal })),
      ifThere(client.get(kinds.secret, serviceNetworkSecret, { namespace: controlPlane, signal })),
    ]);
    return kubeconfigOf({ hostedCluster, controlPlane, given, beside });
  }

  /** Of wanted objects that are not known to be ours: those that are of others. */
  async function takenAmong(wanted: readonly KubeObject[], signal: AbortSignal): Promise<Set<string>> {
    const unknown = wanted.filter((object) => !known(object.kind).cache.get(keyOf(object)));
    const found = await Promise.all(
      unknown.map(async (object) => {
        const { name = "", namespace } = object.metadata;
        const there = await ifThere(client.get(known(object.kind).kind, name, { namespace, signal }));
        return there && !isManaged(there) ? [nameOf(object)] : [];
      }),
    );
    return new Set(found.flat());
  }

  function claimantsOf(namespace: string): readonly HostedCluster[] {
    return hostedClusters.byIndex("controlPlane", namespace);
  }

  /** Creates it where there is none. Of two that do so at once, one finds that of the other. */
  async function claimNamespace(name: string, key: string, signal: AbortSignal): Promise<Ownership> {
    const found = namespaces.get(name) ?? (await ifThere(client.get(kinds.namespace, name, { signal })));
    const ownership = ownershipOf({ key, name, namespace: found, claimants: claimantsOf(name) });
    if (ownership.type !== "absent") return ownership;
    const namespace = markedFor(key, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    try {
      await client.create<KubeObject>(kinds.namespace, namespace, { fieldManager, signal });
      return { type: "own" };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const others = await client.get(kinds.namespace, name, { signal });
      return ownershipOf({ key, name, namespace: others, claimants: claimantsOf(name) });
    }
  }

  return controller;
}

const unread: KubeconfigRead = { type: "problem", reason: "", message: "" };
const unapplied: HostedState = { type: "problem", reason: "", message: "" };

function placeOf({ metadata: { namespace = "", name = "" } }: HostedCluster): string {
  return controlPlaneNamespace(namespace, name);
}

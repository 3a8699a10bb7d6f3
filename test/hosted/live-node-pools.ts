import { isDeepStrictEqual } from "node:util";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { isOrder, readOrder, type Target } from "../../src/domain/hosted/handover/pool-order.ts";
import { apiVersion, hostedClusterKind, type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import type { Json } from "../../src/language/object/json.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { configMapOf, patchOf, type RecordedCase, type RecordedChange, type RecordedObject } from "./cases.ts";
import { comparable } from "./columns.ts";
import { reducedState } from "./node-pool-world.ts";
import { namespaceLike } from "./two-clusters.ts";

const configMapKind = kinds.configMap as KindRef<ConfigMap>;
const compared = /^(Valid(Tuning|Machine)Config|PerformanceProfileAppliedSuccessfully|performance\.operator\..*)$/;

/** What the cases read: one watch for all of them. */
export class Observed {
  readonly configMaps;
  readonly nodePools;

  constructor(client: Client) {
    const indexes = {
      namespace: ({ metadata }: { metadata: { namespace?: string | undefined } }) => [metadata.namespace ?? ""],
    };
    this.configMaps = createInformer(client, configMapKind, { indexes });
    this.nodePools = createInformer(client, nodePoolKind, { indexes });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.configMaps.run(signal), this.nodePools.run(signal)]);
  }
}

/** Below the time that a test has: what is seen at its end is what is compared. */
const longestMs = 50_000;

/** A recorded `np-` case on a management cluster, in namespaces of its own. */
export class LiveCase {
  readonly #client: Client;
  readonly #observed: Observed;
  readonly #users: string;
  readonly #protocol: Protocol;
  #sentinels = 0;

  constructor(client: Client, observed: Observed, place: { users: string; protocol: Protocol }) {
    this.#client = client;
    this.#observed = observed;
    this.#users = place.users;
    this.#protocol = place.protocol;
  }

  async create({ objects, hostedCluster }: RecordedCase<unknown>): Promise<void> {
    for (const name of [this.#users, `${this.#users}-demo`])
      await this.#client.create(kinds.namespace, namespaceLike(name));
    const spec = { pullSecret: { name: "pull-secret" }, ...hostedCluster?.spec };
    const demo = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec };
    await this.#client.create(hostedClusterKind, demo, { namespace: this.#users });
    for (const object of objects) {
      await this.#create(object);
      // Of two that want one name, the first was recorded first.
      if (object.nodePool && object !== objects.at(-1)) await this.#decided(object.nodePool.name);
    }
  }

  async #decided(nodePool: string): Promise<void> {
    const found = (): NodePool | undefined => this.#observed.nodePools.get(`${this.#users}/${nodePool}`);
    await eventually(`NodePool ${nodePool} is decided`, () =>
      Promise.resolve(findCondition(found()?.status?.conditions, "ValidTuningConfig") !== undefined),
    );
  }

  async #create({ configMap, nodePool }: RecordedObject): Promise<void> {
    if (configMap) {
      const { metadata, ...rest } = configMapOf(configMap);
      const { uid: _uid, namespace: _namespace, ...own } = metadata;
      const written = this.#inNamespaces<ConfigMap>({ ...rest, metadata: own });
      await this.#client.create(configMapKind, written, { namespace: this.#side(configMap.user) });
    }
    if (nodePool) {
      const spec = { clusterName: "demo", release: { image: "release:4.22.0" }, ...nodePool.spec };
      const object = { apiVersion, kind: "NodePool", metadata: { name: nodePool.name }, spec } as NodePool;
      await this.#client.create(nodePoolKind, object, { namespace: this.#users });
    }
  }

  #side(user: boolean | undefined): string {
    return user ? this.#users : `${this.#users}-demo`;
  }

  /** Cases have namespace `clusters`, and annotations name it. */
  #inNamespaces<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll('"clusters/', `"${this.#users}/`)) as T;
  }

  async change(change: RecordedChange): Promise<void> {
    const { create, patch, merge = {}, user } = change;
    if (create) await this.#create(create);
    const [kind, recorded = ""] = (change.delete ?? patch ?? "").split("/");
    const name =
      this.#protocol === "documented" && !user && recorded === "p1-np1" ? "performanceprofile-np1" : recorded;
    const of = { ConfigMap: configMapKind, NodePool: nodePoolKind, HostedCluster: hostedClusterKind }[kind ?? ""];
    if (!of) return;
    const namespace = of === configMapKind ? this.#side(user) : this.#users;
    // ConfigMaps of HyperShift's control plane operator are not there.
    if (change.delete) return ifThere(this.#client.delete(of as KindRef, name, { namespace }));
    const body = this.#inNamespaces(patchOf(merge));
    await ifThere(this.#client.patch(of as KindRef, name, { type: "merge", patch: body }, { namespace }));
  }

  /** The state in the form of the recordings. */
  state(wanted: Json): unknown {
    const { configMaps, nodePools } = this.#observed;
    const named = <T extends { metadata: { name?: string | undefined } }>(all: readonly T[]): Map<string, T> =>
      new Map(all.map((one) => [one.metadata.name ?? "", one]));
    const controlPlane = configMaps.byIndex("namespace", this.#side(false)).filter(isShown);
    const state = reducedState({
      user: named(configMaps.byIndex("namespace", this.#users)),
      controlPlane: named(controlPlane),
      nodePools: named(nodePools.byIndex("namespace", this.#users).map(onlyCompared)),
    });
    const text = JSON.stringify(state).replaceAll(`"${this.#users}/`, '"clusters/');
    return comparable(JSON.parse(text) as Json, wanted);
  }

  /** Waits for the state. Returns the last one, where it never came. */
  async settled(wanted: Json): Promise<unknown> {
    await eventually("settled", () => Promise.resolve(isDeepStrictEqual(this.state(wanted), wanted)), longestMs).catch(
      () => {},
    );
    return this.state(wanted);
  }

  /**
   * The hashes of the order, once all changes before are in it: ConfigMaps arrive in their order, so one that cannot be read
   * has arrived after them, and an order is written before the status.
   */
  async target(): Promise<Target> {
    const name = `bad-${this.#sentinels++}`;
    const namespace = this.#users;
    await this.#create({ configMap: { name, user: true, data: { config: "a: [" } } });
    const { config = [] } = (await this.#client.get(nodePoolKind, "np1", { namespace })).spec ?? {};
    for (const [references, isThere] of [
      [[...(config ?? []), { name }], true],
      [config, false],
    ] as const) {
      const patch = { spec: { config: references } };
      await this.#client.patch(nodePoolKind, "np1", { type: "merge", patch }, { namespace });
      await eventually("a pass", async () => {
        const { status, metadata } = await this.#client.get(nodePoolKind, "np1", { namespace });
        const valid = findCondition(status?.conditions, "ValidMachineConfig");
        const isSeen = valid?.message.includes(`${name}, document 1: is not YAML`) === isThere;
        return isSeen && valid?.observedGeneration === metadata.generation;
      });
    }
    return this.order();
  }

  async order(): Promise<Target> {
    const read = readOrder(await this.#client.get(configMapKind, "pool-order-np1", { namespace: this.#side(false) }));
    if (read.type === "problem") throw new Error(read.problem);
    return read.value.target;
  }
}

/** Not orders, and what every namespace has. */
function isShown(configMap: ConfigMap): boolean {
  return !isOrder(configMap) && configMap.metadata.name !== "kube-root-ca.crt";
}

function onlyCompared(nodePool: NodePool): NodePool {
  const conditions = nodePool.status?.conditions?.filter(({ type }) => compared.test(type)) ?? [];
  return { ...nodePool, status: { ...nodePool.status, conditions } };
}

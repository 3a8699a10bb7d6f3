import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { wholeUpdate } from "../../src/cluster/runtime/act/whole-object.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { isOrder, type PoolOrder, readOrder } from "../../src/domain/hosted/handover/pool-order.ts";
import { isReport, type PoolReport, readReport, writeReport } from "../../src/domain/hosted/handover/pool-report.ts";
import { nodePoolOf, protocols } from "../../src/domain/hosted/protocol.ts";
import { type HostedCluster, type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { clusterApiProvider, templateAnnotation } from "../../src/domain/node-pool/cluster-api.ts";
import { decideNodePool } from "../../src/domain/node-pool/decide-node-pool.ts";
import { finalizer, planDeletion } from "../../src/domain/node-pool/rollout/plan-deletion.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { equal } from "../../src/language/object/json.ts";
import { keyOf, type KubeObject } from "../../src/language/object/meta.ts";
import type { ObjectReference, PlannedObject } from "../../src/language/object/plan.ts";
import { configMapOf, patched, type RecordedChange, type RecordedObject } from "./cases.ts";

export interface RolloutChange extends RecordedChange {
  /** Cluster API reports all machines updated; these fields are otherwise. */
  readonly machines?: object;
  /** The hosted cluster reports. */
  readonly finished?: boolean;
  readonly progress?: string;
  readonly failed?: string;
}

export interface RolloutObject extends RecordedObject {
  readonly machine?: string;
  readonly of?: string;
}

const namespace = "clusters-demo";

/** A management cluster of which whole decisions about NodePools are executed until nothing changes. */
export class ManagementWorld {
  readonly #objects = new Map<string, KubeObject>();
  readonly #symbols = new Map<string, string>();
  readonly #protocol: Protocol;
  #tokens = 0;

  constructor(objects: readonly RolloutObject[], protocol: Protocol) {
    this.#protocol = protocol;
    const metadata = { name: "demo", namespace: "clusters" };
    const spec = { infraID: "demo-infra", pullSecret: { name: "pull-secret" } };
    this.#put({ apiVersion: nodePoolKind.apiVersion, kind: "HostedCluster", metadata, spec });
    for (const object of objects) this.#create(object);
  }

  #create({ configMap, nodePool, machine, of }: RolloutObject): void {
    if (configMap) this.#put(configMapOf(configMap));
    if (machine) {
      const metadata = { name: machine, namespace, annotations: { "hypershift.openshift.io/nodePool": of ?? "" } };
      this.#put({
        apiVersion: "cluster.x-k8s.io/v1beta1",
        kind: "Machine",
        metadata: { ...metadata, finalizers: ["x"] },
      });
    }
    if (!nodePool) return;
    const annotations = { [templateAnnotation]: "infrastructure.cluster.x-k8s.io/v1beta1/AgentMachineTemplate/t" };
    this.#put({
      apiVersion: nodePoolKind.apiVersion,
      kind: nodePoolKind.kind,
      metadata: { name: nodePool.name, namespace: "clusters", generation: 1, annotations, finalizers: [finalizer] },
      spec: { clusterName: "demo", release: { image: "release:4.22.0" }, ...nodePool.spec },
    });
  }

  #put(object: KubeObject): void {
    const { name = "", finalizers = [], deletionTimestamp } = object.metadata;
    const key = `${object.kind} ${keyOf(object)}`;
    if (deletionTimestamp && finalizers.length === 0) this.#objects.delete(key);
    else this.#objects.set(key, { ...object, metadata: { ...object.metadata, uid: `uid-${name}` } });
  }

  #delete({ kind, metadata }: ObjectReference): void {
    const found = this.#objects.get(`${kind} ${keyOf({ metadata })}`);
    if (found) this.#put({ ...found, metadata: { ...found.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
  }

  #all<T extends KubeObject>(kind: string): T[] {
    return [...this.#objects.values()].filter((one) => one.kind === kind) as T[];
  }

  change({ create, patch, merge = {}, machines, finished, progress, failed, ...change }: RolloutChange): void {
    if (create) this.#create(create);
    const [kind = "", name = ""] = (change.delete ?? patch ?? "").split("/");
    const found = this.#all(kind).find(({ metadata }) => metadata.name === name);
    if (found && patch) this.#put(patched(found, merge));
    if (found && change.delete) {
      // The machine is really gone.
      const metadata = kind === "Machine" ? { ...found.metadata, finalizers: [] } : found.metadata;
      this.#put({ ...found, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
      // Garbage collection.
      if (kind === "HostedCluster") for (const one of this.#all("NodePool")) this.#delete(one);
    }
    if (machines) for (const one of this.#all("MachineDeployment")) this.#put(withStatus(one, machines));
    if (finished) this.#report((order) => ({ current: order.target.full }));
    if (failed) this.#report(() => ({ degraded: [{ node: "x", reason: "y" }] }));
    // What another client writes beside the report counts for nothing.
    if (progress && progress !== "again")
      this.#report(() => ({ counts: { total: 2, updated: 1, unavailable: 1, degraded: 0 } }));
  }

  /** As the operator of the hosted cluster does. */
  #report(change: (order: PoolOrder) => Partial<PoolReport>): void {
    for (const configMap of this.#all<ConfigMap>("ConfigMap").filter(isOrder)) {
      const read = readOrder(configMap);
      if (read.type === "problem") throw new Error(read.problem);
      const { nodePool, target } = read.value;
      const report = {
        nodePool: nodePool.name,
        target: target.full,
        generation: nodePool.generation,
        counts: { total: 2, updated: 2, unavailable: 0, degraded: 0 },
        updated: [],
        degraded: [],
        waiting: [],
        problems: [],
        since: "2026-01-01T00:00:00Z",
        ...change(read.value),
      };
      this.#put(writeReport(report, { namespace, order: configMap }));
    }
  }

  settle(): void {
    for (let pass = 0; pass < 10; pass++) {
      const before = JSON.stringify([...this.#objects]);
      for (const nodePool of this.#all<NodePool>("NodePool")) this.#decide(nodePool);
      // A NodePool without nodes has all that it was ordered.
      const first = this.#all<ConfigMap>("ConfigMap").filter(
        (one) => isOrder(one) && !this.#reportFor(nodePoolOf(one)),
      );
      if (first.length > 0)
        this.#report(({ target }) => ({
          current: target.full,
          counts: { total: 0, updated: 0, unavailable: 0, degraded: 0 },
        }));
      this.#note();
      if (before === JSON.stringify([...this.#objects])) return;
    }
    throw new Error("never settles");
  }

  #reportFor(nodePool: string): PoolReport | undefined {
    const found = this.#all<ConfigMap>("ConfigMap").find((one) => isReport(one) && nodePoolOf(one) === nodePool);
    const read = found && readReport(found);
    return read?.type === "read" ? read.value : undefined;
  }

  #decide(nodePool: NodePool): void {
    const inNamespace = (object: KubeObject): boolean => object.metadata.namespace === namespace;
    const machines = ["MachineDeployment", "MachineSet", "Machine"].flatMap((kind) => this.#all(kind));
    const surroundings = {
      nodePool,
      controlPlane: this.#all<ConfigMap>("ConfigMap").filter(inNamespace),
      secrets: this.#all("Secret"),
      provider: clusterApiProvider,
      machines,
    };
    if (nodePool.metadata.deletionTimestamp) {
      const { prunes, remaining } = planDeletion(surroundings);
      for (const one of prunes) this.#delete(one);
      if (remaining.length === 0) this.#put({ ...nodePool, metadata: { ...nodePool.metadata, finalizers: [] } });
      return;
    }
    const [hostedCluster] = this.#all<HostedCluster>("HostedCluster");
    if (!hostedCluster) return;
    const decision = decideNodePool({
      ...surroundings,
      hostedCluster,
      configMap: (name) => this.#objects.get(`ConfigMap clusters/${name}`),
      namespace,
      protocol: protocols[this.#protocol],
      now: Date.parse("2026-01-01T00:00:00Z"),
      digest: (parts) => [...parts].reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex"),
      compress: (bytes) => gzipSync(bytes),
      newToken: () => `token-${++this.#tokens}`,
    });
    for (const planned of decision.objects) this.#write(planned);
    for (const one of decision.prunes) this.#delete(one);
    const { metadata } = nodePool;
    const annotations = { ...metadata.annotations, ...decision.annotations };
    this.#put({ ...nodePool, metadata: { ...metadata, annotations }, status: decision.status });
  }

  /** Fields that are applied replace those that were applied before. */
  #write({ owns, object, absentAnnotations }: PlannedObject): void {
    const found = this.#objects.get(`${object.kind} ${keyOf(object)}`);
    if (found?.metadata.deletionTimestamp) return;
    if (owns === "fields") this.#put(applied(object, found));
    else {
      const update = found ? wholeUpdate(object, found, { absentAnnotations }) : object;
      if (update) this.#put(update);
    }
  }

  /** Hashes are symbols in the recordings, in the order in which they appear. */
  #note(): void {
    for (const configMap of this.#all<ConfigMap>("ConfigMap").filter(isOrder)) {
      const read = readOrder(configMap);
      if (read.type === "problem") continue;
      for (const [letter, hash] of [
        ["F", read.value.target.full],
        ["C", read.value.target.withoutVersion],
      ] as const) {
        const known = [...this.#symbols.values()].filter((symbol) => symbol.startsWith(letter)).length;
        if (!this.#symbols.has(hash)) this.#symbols.set(hash, `${letter}${known + 1}`);
      }
    }
  }

  /** In the form of the recordings. */
  observed(): Record<string, unknown> {
    const [nodePool] = this.#all<NodePool>("NodePool");
    const [machines] = [...this.#all("MachineDeployment"), ...this.#all("MachineSet")];
    const secrets = this.#all("Secret");
    const isExpiring = ({ metadata }: KubeObject): boolean =>
      metadata.annotations?.["hypershift.openshift.io/ignition-token-expiration-timestamp"] !== undefined;
    const observed = {
      ...(nodePool ? { nodePool: reducedPool(nodePool) } : {}),
      deleting: nodePool?.metadata.deletionTimestamp !== undefined,
      secrets: secrets.map(({ metadata }) => metadata.name),
      expiring: secrets.filter(isExpiring).map(({ metadata }) => metadata.name),
      configMaps: this.#all("ConfigMap")
        .filter(({ metadata }) => metadata.namespace === namespace && !metadata.name?.startsWith("pool-"))
        .map(({ metadata }) => metadata.name ?? "")
        .toSorted(),
      ...(machines ? { machines: reducedMachines(machines) } : {}),
    };
    let text = JSON.stringify(observed);
    for (const [hash, symbol] of this.#symbols) text = text.replaceAll(hash, symbol);
    const named = JSON.parse(text) as { secrets: string[]; expiring: string[] };
    return { ...named, secrets: named.secrets.toSorted(), expiring: named.expiring.toSorted() };
  }
}

/** Machines have fields of others; what contains them is ours, but for its status. */
function applied(object: KubeObject, found: KubeObject | undefined): KubeObject {
  if (!found) return { ...object, metadata: { ...object.metadata, generation: 1 } };
  const { generation = 1, annotations } = found.metadata;
  if (object.kind === "Machine")
    return {
      ...found,
      metadata: { ...found.metadata, annotations: { ...annotations, ...object.metadata.annotations } },
    };
  const isSame = equal(object["spec"], found["spec"]);
  const metadata = { ...object.metadata, generation: isSame ? generation : generation + 1 };
  return { ...object, metadata, ...("status" in found ? { status: found["status"] } : {}) };
}

function withStatus(object: KubeObject, override: object): KubeObject {
  const { replicas } = object["spec"] as { replicas: number };
  const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
  const { generation: observedGeneration } = object.metadata;
  return { ...object, status: { ...counts, observedGeneration, ...override } };
}

function reducedPool({ metadata, status }: NodePool): object {
  const current = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes("nodePoolCurrent"));
  const conditions = (status?.conditions ?? []).filter(({ type }) => type.startsWith("Updating"));
  return {
    ...(current.length > 0 ? { annotations: Object.fromEntries(current) } : {}),
    conditions: Object.fromEntries(
      conditions.map(({ type, status: value, reason, message }) => [
        type,
        { status: value, reason, ...(message ? { message } : {}) },
      ]),
    ),
    ...(status?.version ? { version: status.version } : {}),
    ...(status?.replicas ? { replicas: status.replicas } : {}),
  };
}

interface Group {
  replicas: number;
  strategy?: object;
  template: {
    metadata: { annotations: Record<string, string>; labels: Record<string, string> };
    spec: { version: string; bootstrap: { dataSecretName: string } };
  };
}

function reducedMachines({ kind, metadata, ...object }: KubeObject): object {
  const { replicas, strategy, template } = object["spec"] as Group;
  const without = (all: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(all).filter(([key]) => key !== "hypershift.openshift.io/nodePool"));
  const labels = Object.entries(template.metadata.labels).filter(([key]) => key.startsWith("managed."));
  return {
    kind,
    annotations: without(metadata.annotations ?? {}),
    replicas,
    dataSecretName: template.spec.bootstrap.dataSecretName,
    version: template.spec.version,
    templateAnnotations: without(template.metadata.annotations),
    ...(labels.length > 0 ? { templateLabels: Object.fromEntries(labels) } : {}),
    ...(strategy ? { strategy } : {}),
  };
}

import { createHash } from "node:crypto";
import { wholeUpdate } from "../../src/cluster/runtime/act/whole-object.ts";
import { configKinds, tuningKinds } from "../../src/domain/hosted/envelope/manifest-kinds.ts";
import {
  type ConfigMap,
  type ManifestProblem,
  readManifests,
} from "../../src/domain/hosted/envelope/read-manifests.ts";
import { type HostedProtocol, protocols } from "../../src/domain/hosted/protocol.ts";
import type { Digest } from "../../src/domain/machine-config/content-hash.ts";
import { type HostedCluster, isTuned, type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { profileConditions, validCondition, withConditions } from "../../src/domain/node-pool/conditions.ts";
import { configHashes, type ConfigHashes } from "../../src/domain/node-pool/config-hash.ts";
import { planCopies } from "../../src/domain/node-pool/copies.ts";
import { payloadOf } from "../../src/domain/node-pool/payload.ts";
import { planTuning } from "../../src/domain/node-pool/plan-tuning.ts";
import { tuningReferences } from "../../src/domain/node-pool/references.ts";
import { readConfig } from "../../src/domain/node-pool/read-config.ts";
import { nameTooLong, readTuning } from "../../src/domain/node-pool/read-tuning.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { PlannedObject } from "../../src/language/object/plan.ts";
import { configMapOf, patched, type RecordedCase, type RecordedChange, type RecordedObject } from "./cases.ts";

const digest: Digest = (parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

interface Rolled {
  readonly objects: readonly KubeObject[];
  readonly hashes: ConfigHashes;
}

/** The management cluster of an `np-` case, and the decisions about its NodePools. */
export class NodePoolWorld {
  readonly user = new Map<string, ConfigMap>();
  readonly controlPlane = new Map<string, ConfigMap>();
  readonly nodePools = new Map<string, NodePool>();
  /** By NodePool: what it is rolled out to. */
  readonly payloads = new Map<string, Rolled>();
  readonly problems = new Map<string, readonly ManifestProblem[]>();
  #hostedCluster: HostedCluster;
  readonly #protocol: HostedProtocol;

  constructor(recorded: RecordedCase<unknown>, protocol: Protocol) {
    this.#protocol = protocols[protocol];
    this.#hostedCluster = {
      apiVersion: nodePoolKind.apiVersion,
      kind: "HostedCluster",
      metadata: { name: "demo", namespace: "clusters" },
      spec: { pullSecret: { name: "pull-secret" }, ...recorded.hostedCluster?.spec },
    };
    for (const object of recorded.objects) this.#create(object);
  }

  #create({ configMap, nodePool }: RecordedObject): void {
    if (configMap) this.#side(configMap.user).set(configMap.name, configMapOf(configMap));
    if (nodePool)
      this.nodePools.set(nodePool.name, {
        apiVersion: nodePoolKind.apiVersion,
        kind: nodePoolKind.kind,
        metadata: { name: nodePool.name, namespace: "clusters", generation: 1 },
        spec: { clusterName: "demo", release: { image: "release:4.22.0" }, ...nodePool.spec },
      });
  }

  #side(user: boolean | undefined): Map<string, ConfigMap> {
    return user ? this.user : this.controlPlane;
  }

  change(change: RecordedChange): void {
    const { create, patch = "", merge = {}, user } = change;
    if (create) this.#create(create);
    const [kind, recordedName = ""] = (change.delete ?? patch).split("/");
    const name = user ? recordedName : this.#nameOf(recordedName);
    if (change.delete && kind === "ConfigMap") this.#side(user).delete(name);
    if (patch && kind === "ConfigMap") {
      const before = this.#side(user).get(name);
      const after = before && patched(before, merge);
      if (after?.metadata.deletionTimestamp && !after.metadata.finalizers?.length) this.#side(user).delete(name);
      else if (after) this.#side(user).set(name, after);
    }
    if (patch && kind === "NodePool") this.nodePools.set(name, patched(this.nodePools.get(name) as NodePool, merge));
    if (patch && kind === "HostedCluster") this.#hostedCluster = patched(this.#hostedCluster, merge);
  }

  /** The ConfigMap of a profile has another name under the documented column. */
  #nameOf(name: string): string {
    return this.#protocol.name === "documented" && name === "p1-np1" ? "performanceprofile-np1" : name;
  }

  settle(): void {
    for (let pass = 0; pass < 10; pass++) if (!this.#pass()) return;
    throw new Error("never settles");
  }

  #pass(): boolean {
    const before = JSON.stringify([...this.controlPlane, ...this.nodePools]);
    for (const nodePool of this.nodePools.values()) this.#decide(nodePool);
    return before !== JSON.stringify([...this.controlPlane, ...this.nodePools]);
  }

  #decide(nodePool: NodePool): void {
    const { name = "", generation } = nodePool.metadata;
    const isOn = isTuned(this.#hostedCluster);
    const namespace = "clusters-demo";
    const configMap = (wanted: string): ConfigMap | undefined => this.user.get(wanted);
    const tooLong = nameTooLong(nodePool);
    const tuning = readTuning(nodePool, configMap);
    const plan = tooLong
      ? { objects: [], prunes: [], profile: undefined, problems: [{ configMap: "", message: tooLong }] }
      : planTuning({ nodePool, tuning, observed: this.#observed(), namespace, protocol: this.#protocol });
    this.#execute(plan);
    const config = readConfig({
      nodePool,
      configMap,
      controlPlane: this.#observed(),
      isTuned: isOn,
      protocol: this.#protocol,
    });
    const copies = planCopies({
      nodePool,
      given: config.given,
      configMap,
      observed: this.#observed(),
      namespace,
      planned: new Set(plan.objects.map(({ object }) => object.metadata.name ?? "")),
    });
    this.#execute(copies);
    const { object, from, isLastGood = false } = plan.profile ?? {};
    const profile = object && { nodePool: name, profile: object.metadata.name ?? "", from: from ?? "" };
    const outcomes = [
      validCondition("ValidTuningConfig", plan.problems),
      validCondition("ValidMachineConfig", [...config.problems, ...copies.problems]),
      ...profileConditions({ profile, isLastGood, controlPlane: this.#observed(), protocol: this.#protocol }),
    ];
    this.problems.set(name, [...plan.problems, ...config.problems, ...copies.problems]);
    const conditions = withConditions(nodePool.status?.conditions ?? [], outcomes, { generation, now: "now" });
    this.nodePools.set(name, { ...nodePool, status: { ...nodePool.status, conditions: [...conditions] } });
    this.#roll(
      nodePool,
      payloadOf({
        nodePool: name,
        config,
        controlPlane: this.#observed(),
        lastGood: () => this.payloads.get(name)?.objects,
      }),
    );
  }

  #roll({ metadata: { name = "" }, spec }: NodePool, payload: ReturnType<typeof payloadOf>): void {
    if (payload.type === "none") return;
    const version = spec?.release?.image?.split(":")[1] ?? "";
    const { objects } = payload;
    const hashes = configHashes({ objects, version, hostedCluster: this.#hostedCluster, digest });
    this.payloads.set(name, { objects, hashes });
  }

  refersToTuning(nodePool: string): boolean {
    const found = this.nodePools.get(nodePool);
    return found !== undefined && tuningReferences(found).length > 0;
  }

  #observed(): ConfigMap[] {
    return [...this.controlPlane.values()];
  }

  #execute({
    objects,
    prunes,
  }: {
    objects: readonly PlannedObject[];
    prunes: readonly { metadata: { name?: string | undefined } }[];
  }): void {
    for (const { object } of objects) {
      const { name = "" } = object.metadata;
      const found = this.controlPlane.get(name);
      if (found?.metadata.deletionTimestamp) continue;
      const update = found
        ? wholeUpdate(object, found)
        : { ...object, metadata: { ...object.metadata, uid: `uid-${name}` } };
      if (update) this.controlPlane.set(name, update);
    }
    for (const {
      metadata: { name = "" },
    } of prunes) {
      const found = this.controlPlane.get(name);
      if (!found?.metadata.finalizers?.length) this.controlPlane.delete(name);
      else this.controlPlane.set(name, { ...found, metadata: { ...found.metadata, deletionTimestamp: "now" } });
    }
  }

  observed(): ReducedState {
    return reducedState(this);
  }
}

export interface ReducedState {
  readonly conditions: Record<string, Record<string, object>>;
  readonly configMaps: Record<string, object>;
}

/** In the form of the recordings. */
export function reducedState({
  nodePools,
  user,
  controlPlane,
}: Pick<NodePoolWorld, "nodePools" | "user" | "controlPlane">): ReducedState {
  const conditions = Array.from(nodePools, ([name, { status }]): [string, Record<string, object>] => [
    name,
    Object.fromEntries((status?.conditions ?? []).map((condition) => [condition.type, reducedCondition(condition)])),
  ]);
  const shown = [...controlPlane].filter(([name]) => !name.startsWith("status-"));
  const configMaps = shown.map(([name, one]): [string, object] => [name, reducedConfigMap(one, user)]);
  return { conditions: Object.fromEntries(conditions), configMaps: Object.fromEntries(configMaps) };
}

function reducedConfigMap({ metadata, data = {}, immutable }: ConfigMap, user: ReadonlyMap<string, ConfigMap>): object {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => !key.startsWith("rollout.attune.dev/"),
  );
  const labels = metadata.labels ?? {};
  const source = [...user].find(
    ([name, one]) =>
      metadata.name?.startsWith(name) &&
      labels["hypershift.openshift.io/mirrored-config"] &&
      JSON.stringify(one.data) === JSON.stringify(data),
  );
  return {
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
    ...(metadata.finalizers?.length ? { finalizers: metadata.finalizers } : {}),
    ...(metadata.deletionTimestamp ? { deleting: true } : {}),
    ...(immutable ? { immutable } : {}),
    ...(source
      ? { dataSameAs: source[0] }
      : { data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, reducedText(key, text)])) }),
  };
}

function reducedCondition({
  status,
  reason,
  message,
  type,
}: {
  status: string;
  reason: string;
  message: string;
  type: string;
}): object {
  const shown = type.startsWith("Valid") ? {} : message ? { message } : {};
  return { status, ...(reason ? { reason } : {}), ...shown };
}

function reducedText(key: string, text: string): unknown {
  if (key !== "tuning" && key !== "tuned" && key !== "config") return key === "status" ? "status" : text;
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: { text } };
  const { manifests } = readManifests(configMap, ["text"], [...tuningKinds, ...configKinds]);
  if (manifests.length === 0) return { raw: text };
  const reduced = manifests.map(({ object }) => reducedObject(object)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return reduced.length === 1 ? reduced[0] : reduced;
}

export function reducedObject({ kind, metadata, spec = {} }: KubeObject): { name: string } {
  const { name = "", namespace, labels, annotations = {} } = metadata;
  const shown = Object.entries(annotations).filter(([key]) => !key.startsWith("rollout.attune.dev/"));
  const fields = spec as {
    profile?: { name: string }[];
    recommend?: object[];
    machineConfigPoolSelector?: object;
    kubeletConfig?: object;
    kernelArguments?: string[];
    config?: { storage?: { files?: { path: string }[] } };
  };
  const own: Record<string, object> = {
    Tuned: { profiles: (fields.profile ?? []).map((one) => one.name), recommend: fields.recommend ?? [] },
    PerformanceProfile: { spec },
    KubeletConfig: {
      ...(fields.machineConfigPoolSelector ? { machineConfigPoolSelector: fields.machineConfigPoolSelector } : {}),
      kubeletConfig: fields.kubeletConfig ?? {},
    },
    ContainerRuntimeConfig: fields.machineConfigPoolSelector
      ? { machineConfigPoolSelector: fields.machineConfigPoolSelector }
      : {},
    MachineConfig: fields.kernelArguments ? { kernelArguments: fields.kernelArguments } : {},
  };
  return {
    ...({ kind } as object),
    name,
    ...(namespace ? { namespace } : {}),
    ...(labels ? { labels } : {}),
    ...(shown.length > 0 ? { annotations: Object.fromEntries(shown) } : {}),
    ...own[kind],
  };
}

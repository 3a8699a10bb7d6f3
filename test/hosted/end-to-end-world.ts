import type { KindRef } from "../../src/cluster/kube/client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import { contentOf } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import {
  clusterApiProvider,
  machineDeploymentKind,
  machineKind,
  machineSetKind,
  templateAnnotation,
} from "../../src/domain/node-pool/cluster-api.ts";
import { appliedCondition, copiedPrefix } from "../../src/domain/node-pool/conditions.ts";
import { profileKind, type Protocol, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { runtimeClassKind } from "../../src/domain/performance-profile/api.ts";
import type { Condition } from "../../src/language/object/condition.ts";
import { findCondition, isTrue } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { configMapOf, patchOf, type RecordedChange, type RecordedObject } from "./cases.ts";
import { profilesOf } from "./profile-observation.ts";
import { ProfileWorld } from "./profile-world.ts";
import { controlPlane, poolNamespace, type TwoClusters, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const inControlPlane = { namespace: controlPlane };

export type EndToEndChange = RecordedChange & {
  /** A NodePool of which Cluster API has replaced all machines. */
  readonly machines?: string;
};

/** What a user and an administrator see, in the form of the recordings. */
export interface EndToEnd {
  readonly nodePools: Readonly<Record<string, readonly string[]>>;
  /** Of the control plane namespace. */
  readonly configMaps: readonly string[];
  readonly tuneds: readonly string[];
  readonly profiles: Readonly<Record<string, string>>;
  readonly runtimeClasses: readonly string[];
  /** The configurations that machines of a NodePool were made with, one letter each, in their order: one letter more is one rollout. */
  readonly rollouts: Readonly<Record<string, string>>;
}

/** Both clusters with both sides of Attune between them. Users, nodes and Cluster API are played by the test. */
export class EndToEndWorld {
  readonly #clusters: TwoClusters;
  readonly #world: ProfileWorld;
  readonly #machines;
  /** By NodePool: names of Secrets. */
  #rollouts = new Map<string, string[]>();
  readonly #stop = new AbortController();
  #parts: readonly Promise<void>[] = [];
  #probes = 0;

  private constructor(clusters: TwoClusters, protocol: Protocol) {
    this.#clusters = clusters;
    this.#world = new ProfileWorld(clusters, protocol);
    this.#machines = createInformer(this.#management, machineDeploymentKind, inControlPlane);
    this.#machines.subscribe(() => this.#note());
  }

  static async start(protocol: Protocol): Promise<EndToEndWorld> {
    const world = new EndToEndWorld(await twoClusters(), protocol);
    const client = world.#management;
    for (const { kind } of [machineDeploymentKind, machineSetKind, machineKind])
      await client.create(kinds.customResourceDefinition, clusterApiDefinition(kind));
    const demo = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: { infraID: "demo-infra" } };
    await client.create(hostedClusterKind, demo, users);
    await world.#world.prepare();
    const { signal } = world.#stop;
    const options = { client, signal, protocol, image: "attune:test", leaderElection: false };
    world.#parts = [world.#machines.run(signal), runManagement({ ...options, provider: clusterApiProvider })];
    world.#world.operator.start();
    return world;
  }

  async close(): Promise<void> {
    await this.#world.operator.stop();
    this.#stop.abort();
    await Promise.all(this.#parts);
    await this.#clusters.close();
  }

  get #management(): TwoClusters["management"]["client"] {
    return this.#clusters.management.client;
  }

  #note(): void {
    for (const { metadata, spec } of this.#machines.list()) {
      const { name = "" } = metadata;
      const before = this.#rollouts.get(name) ?? [];
      const secret = spec?.template?.spec?.bootstrap?.dataSecretName ?? "";
      if (before.at(-1) !== secret) this.#rollouts.set(name, [...before, secret]);
    }
  }

  async begin(objects: readonly RecordedObject[]): Promise<void> {
    for (const node of ["np1-a", "np2-a"]) await this.#world.createNode(node);
    for (const { configMap, nodePool } of objects) {
      if (configMap) {
        const { uid: _, ...metadata } = configMapOf(configMap).metadata;
        await this.#management.create(configMapKind, { ...configMapOf(configMap), metadata }, users);
      }
      if (nodePool) await this.#management.create(nodePoolKind, nodePoolOf(nodePool), users);
    }
  }

  async change({ machines, patch = "", merge = {}, nodeSide = [] }: EndToEndChange): Promise<void> {
    if (machines !== undefined) await this.#replaceMachines(machines);
    const [kind, name = ""] = patch.split("/");
    const change = { type: "merge", patch: patchOf(merge) } as const;
    if (kind === "NodePool") await this.#management.patch(nodePoolKind, name, change, users);
    if (kind === "ConfigMap") await this.#management.patch(kinds.configMap, name, change, users);
    if (kind === "Node") await this.#world.hosted.patch(kinds.node, this.#world.nodeName(name), change);
    await this.#world.change({ nodeSide });
  }

  /** As Cluster API reports it. */
  async #replaceMachines(name: string): Promise<void> {
    const { metadata, spec } = await this.#management.get(machineDeploymentKind, name, inControlPlane);
    const { replicas } = spec ?? {};
    const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
    const patch = { status: { ...counts, observedGeneration: metadata.generation } };
    const options = { ...inControlPlane, subresource: "status" };
    await this.#management.patch(machineDeploymentKind, name, { type: "merge", patch }, options);
  }

  /** Waits until both sides have seen everything that was written. */
  async processed(): Promise<void> {
    await this.#world.processed();
    const patch = { spec: { probe: this.#probes++ } };
    for (const { metadata } of await this.#nodePools()) {
      const { name = "" } = metadata;
      const { metadata: written } = await this.#management.patch(nodePoolKind, name, { type: "merge", patch }, users);
      await eventually("the management side reports", async () => {
        const { status } = await this.#management.get(nodePoolKind, name, users);
        return findCondition(status?.conditions, "UpdatingConfig")?.observedGeneration === written.generation;
      });
    }
    for (const { metadata } of (await this.#management.list(machineDeploymentKind, inControlPlane)).items)
      await eventually("machines are seen", () => {
        const seen = this.#machines.get(`${controlPlane}/${metadata.name}`);
        return Promise.resolve((seen?.metadata.generation ?? 0) >= (metadata.generation ?? 0));
      });
  }

  async #nodePools(): Promise<readonly NodePool[]> {
    return (await this.#management.list(nodePoolKind, users)).items;
  }

  async observe(): Promise<EndToEnd> {
    const { hosted } = this.#world;
    const place = { namespace: tuningNamespace };
    const [nodePools, configMaps, tuneds, profiles, runtimeClasses] = await Promise.all([
      this.#nodePools(),
      this.#world.configMaps(),
      hosted.list(tunedKind, place),
      hosted.list(profileKind, place),
      hosted.list(runtimeClassKind),
    ]);
    return {
      nodePools: Object.fromEntries(nodePools.map((one) => [one.metadata.name ?? "", reported(one)])),
      configMaps: names(configMaps.filter((one) => contentOf(one) !== undefined)),
      tuneds: names(tuneds.items).filter((name) => name !== "default"),
      profiles: profilesOf(profiles.items),
      runtimeClasses: names(runtimeClasses.items),
      rollouts: Object.fromEntries([...this.#rollouts].map(([name, secrets]) => [name, lettersOf(secrets)])),
    };
  }

  /** So that the next case finds what the first one found. */
  async clear(): Promise<void> {
    for (const { metadata } of await this.#nodePools())
      await this.#management.delete(nodePoolKind, metadata.name ?? "", users);
    await eventually("no NodePool", async () => (await this.#nodePools()).length === 0);
    await eventually("no machines", () => Promise.resolve(this.#machines.list().length === 0));
    const { items } = await this.#management.list(kinds.configMap, users);
    for (const { metadata } of items) await this.#management.delete(kinds.configMap, metadata.name ?? "", users);
    await this.#world.clear();
    this.#rollouts = new Map();
  }
}

function nodePoolOf({ name, spec }: NonNullable<RecordedObject["nodePool"]>): NodePool {
  const annotations = { [templateAnnotation]: "infrastructure.cluster.x-k8s.io/v1beta1/AgentMachineTemplate/t" };
  const common = { clusterName: "demo", replicas: 2, release: { image: "release:4.22.0" } };
  return {
    apiVersion,
    kind: "NodePool",
    metadata: { name, annotations },
    spec: { ...common, management: { upgradeType: "Replace" }, ...spec },
  };
}

/** Whether it is updated, what became of its profile, and what is not valid: what the conditions of both columns have in common. */
function reported({ status }: NodePool): string[] {
  const conditions = status?.conditions ?? [];
  const invalid = ["ValidMachineConfig", "ValidTuningConfig"].flatMap((type) => {
    const found = findCondition(conditions, type);
    return found?.status === "True" ? [] : [`${type}=${found?.reason}`];
  });
  return [...(isTrue(conditions, "UpdatingConfig") ? ["updating"] : []), ...profileState(conditions), ...invalid];
}

function profileState(conditions: readonly Condition[]): string[] {
  const applied = findCondition(conditions, appliedCondition);
  if (applied) return [applied.status === "True" ? "Available" : "not available"];
  const copied = conditions.filter(({ type }) => type.startsWith(copiedPrefix));
  if (copied.length === 0) return [];
  const on = copied.filter(({ status }) => status === "True").map(({ type }) => type.slice(copiedPrefix.length));
  return [on.toSorted().join() === "Available,Upgradeable" ? "Available" : "not available"];
}

function names(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name ?? "").toSorted();
}

function lettersOf(secrets: readonly string[]): string {
  const known = [...new Set(secrets)];
  return secrets.map((secret) => String.fromCodePoint("A".codePointAt(0)! + known.indexOf(secret))).join("");
}

function clusterApiDefinition(kind: KindRef["kind"]): KubeObject {
  const group = "cluster.x-k8s.io";
  const singular = kind.toLowerCase();
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [{ name: "v1beta1", served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

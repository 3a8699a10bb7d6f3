import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import {
  type Profile,
  profileKind,
  type Protocol,
  tunedKind,
  tuningNamespace,
} from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import { runtimeClassKind } from "../../src/domain/performance-profile/api.ts";
import { infrastructureKind } from "../../src/domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { configurationDefinitions } from "../node-tuning/cluster-operator-definition.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { configMapOf, type NodeReport, patched, type RecordedChange, type RecordedConfigMap } from "./cases.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { type InputConfigMap, nameInColumn, withColumn } from "./profile-column.ts";
import { possibleLine } from "./possible-line.ts";
import { controlPlane, type TwoClusters } from "./two-clusters.ts";

const depsAnnotation = "tuned.openshift.io/bootcmdline-deps";
const bootAnnotation = "tuned.openshift.io/bootcmdline";
/** In names of ConfigMaps that only show how far the operator is. */
const probe = "probe";
const poolLabel = "hypershift.openshift.io/nodePool";

export type ProfileChange = Omit<RecordedChange, "operator"> & {
  readonly operator?: string | { readonly restartWithRelease: string };
};

/** Two clusters with the operator between them, for cases about PerformanceProfiles. */
export class ProfileWorld {
  readonly clusters: TwoClusters;
  readonly protocol: Protocol;
  operator: HostedOperator;
  /** By name: what the case wrote. */
  inputs = new Map<string, InputConfigMap>();
  /** Words that nodes reported, and what stands for them in the recording, the last first. */
  reported: { readonly recorded: string; readonly words: readonly string[] }[] = [];

  #probes = 0;
  #cleared = 0;

  constructor(clusters: TwoClusters, protocol: Protocol) {
    this.clusters = clusters;
    this.protocol = protocol;
    this.operator = this.#newOperator("4.22.0");
  }

  #newOperator(release: string): HostedOperator {
    const features = { machineConfigPools: true, clusterOperators: true, infrastructures: true };
    return new HostedOperator(this.clusters, this.protocol, { features, release });
  }

  async restart(release = "4.22.0"): Promise<void> {
    await this.operator.stop();
    this.operator = this.#newOperator(release);
    this.operator.start();
  }

  /** Kinds of OpenShift that profiles depend on. */
  async prepare(): Promise<void> {
    for (const crd of configurationDefinitions) await this.hosted.create(kinds.customResourceDefinition, crd);
  }

  get management(): HttpClient {
    return this.clusters.management.client;
  }

  get hosted(): HttpClient {
    return this.clusters.hosted.client;
  }

  /**
   * In the cluster: each case has nodes of its own, as those with a name of a case before may be seen with what the former
   * reported.
   */
  nodeName(recordedName: string): string {
    return this.#cleared === 0 ? recordedName : `${recordedName}-${this.#cleared}`;
  }

  async createNode(recordedName: string): Promise<void> {
    const name = this.nodeName(recordedName);
    const nodePool = name.slice(0, name.indexOf("-"));
    const labels = { "kubernetes.io/os": "linux", "node-role.kubernetes.io/worker": "", [poolLabel]: nodePool };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
    await this.hosted.create(kinds.node, node);
    const patch = { status: { nodeInfo: { architecture: "amd64" }, capacity: { cpu: "4", memory: "16Gi" } } };
    await this.hosted.patch(kinds.node, name, { type: "merge", patch }, { subresource: "status" });
  }

  async setPartitioning(cpuPartitioning: string): Promise<void> {
    const cluster = {
      apiVersion: infrastructureKind.apiVersion,
      kind: "Infrastructure",
      metadata: { name: "cluster" },
    };
    await this.hosted.create(infrastructureKind, cluster);
    const patch = { status: { cpuPartitioning } };
    await this.hosted.patch(infrastructureKind, "cluster", { type: "merge", patch }, { subresource: "status" });
  }

  async createConfigMap(recorded: RecordedConfigMap): Promise<void> {
    const input = withColumn(recorded, this.protocol);
    this.inputs.set(recorded.name, input);
    const { uid: _, ...metadata } = configMapOf(input).metadata;
    await this.management.create(configMapKind, { ...configMapOf(input), metadata });
  }

  async change(change: ProfileChange): Promise<void> {
    const { create, patch, merge = {}, nodeSide = [], operator } = change;
    if (operator === "stop") await this.operator.stop();
    else if (operator === "start") this.operator.start();
    else if (operator !== undefined)
      await this.restart(typeof operator === "string" ? undefined : operator.restartWithRelease);
    if (create?.configMap) await this.createConfigMap(create.configMap);
    if (create?.object?.kind === "Node") await this.createNode(create.object.metadata.name ?? "");
    else if (create?.object) await this.hosted.create(runtimeClassKind, create.object);
    if (patch) await this.#patch(patch, merge);
    if (change.delete) await this.#delete(change.delete);
    for (const report of nodeSide) await this.#report(report);
  }

  async #patch(target: string, merge: Record<string, unknown>): Promise<void> {
    const recordedName = target.slice("ConfigMap/".length);
    const name = nameInColumn(recordedName, this.inputs, this.protocol);
    const before = this.inputs.get(recordedName);
    const data = merge["data"] as RecordedConfigMap["data"] | undefined;
    const changed = data && withColumn({ ...(before ?? { name }), data }, this.protocol).data;
    if (before && changed) this.inputs.set(recordedName, { ...before, data: changed });
    const texts = patched({ data: {} }, changed ? { data: changed } : {}).data;
    const patch = { ...merge, ...(changed ? { data: texts } : {}) };
    await this.management.patch(kinds.configMap, name, { type: "merge", patch }, { namespace: controlPlane });
  }

  async #delete(target: string): Promise<void> {
    const [kind, recordedName = ""] = target.split("/");
    if (kind === "RuntimeClass") return this.hosted.delete(runtimeClassKind, recordedName);
    const name = nameInColumn(recordedName, this.inputs, this.protocol);
    await this.management.delete(kinds.configMap, name, { namespace: controlPlane });
  }

  /** What an agent would write. */
  async #report({ node: recordedName, status, bootcmdline, deps }: NodeReport): Promise<void> {
    const node = this.nodeName(recordedName);
    const of = { namespace: tuningNamespace };
    const profile = await eventually(`${node} has a Profile`, () => this.hosted.get(profileKind, node, of));
    const words = possibleLine(profile.spec, bootcmdline);
    if (bootcmdline !== undefined) this.reported.unshift({ recorded: bootcmdline, words });
    const inputs = deps === "current" ? inputsOf(profile.spec) : deps;
    const patch = {
      status: {
        ...(status ? statusOf(status, profile) : {}),
        ...(bootcmdline === undefined ? {} : { bootcmdline: words.join(" ") }),
        ...(deps === undefined ? {} : { bootcmdlineInputs: inputs }),
      },
    };
    await this.hosted.patch(profileKind, node, { type: "merge", patch }, { ...of, subresource: "status" });
    const annotations = {
      ...(bootcmdline === undefined ? {} : { [bootAnnotation]: words.join(" ") }),
      ...(deps === undefined ? {} : { [depsAnnotation]: profile.metadata.annotations?.[depsAnnotation] }),
    };
    await this.hosted.patch(kinds.node, node, { type: "merge", patch: { metadata: { annotations } } });
  }

  async configMaps(): Promise<readonly ConfigMap[]> {
    const { items } = await this.management.list(configMapKind, { namespace: controlPlane });
    return items.filter(({ metadata }) => !metadata.name?.includes(probe));
  }

  /** Waits until the operator has seen everything that was written: it works in the order of events. */
  async processed(): Promise<void> {
    const name = `${probe}-${this.#probes++}`;
    const labels = { "hypershift.openshift.io/performanceprofile-config": "true" };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: controlPlane, labels } };
    await this.management.create(configMapKind, object);
    await eventually("the operator reports", async () => {
      const { items } = await this.management.list(kinds.configMap, { namespace: controlPlane });
      return items.some(({ metadata }) => metadata.name !== name && metadata.name?.includes(name));
    });
    await this.management.delete(configMapKind, name, { namespace: controlPlane });
  }

  /**
   * So that the next case finds what the first one found. The operator removes what it wrote: it may write again what is
   * deleted under its hands, just before it decides that nothing wants it.
   */
  async clear(): Promise<void> {
    for (const recordedName of this.inputs.keys()) {
      const name = nameInColumn(recordedName, this.inputs, this.protocol);
      await this.management.delete(kinds.configMap, name, { namespace: controlPlane }).catch(ignoreNotFound);
    }
    await this.#deleteAll(this.hosted, kinds.node);
    await this.#deleteAll(this.hosted, runtimeClassKind);
    await this.#deleteAll(this.hosted, infrastructureKind);
    await eventually("the hosted cluster is empty", async () => {
      const tuneds = await this.hosted.list(tunedKind, { namespace: tuningNamespace });
      const profiles = await this.hosted.list(profileKind, { namespace: tuningNamespace });
      // An operator that sees the deletion of its ConfigMap later has restored it first, and removes it then.
      const runtimeClasses = await this.hosted.list(runtimeClassKind);
      const left = (await this.configMaps()).filter(({ metadata }) => !metadata.name?.startsWith("kube-root"));
      return (
        tuneds.items.length === 1 && [profiles.items, runtimeClasses.items, left].every(({ length }) => length === 0)
      );
    });
    this.inputs = new Map();
    this.reported = [];
    this.#cleared++;
  }

  async #deleteAll(client: HttpClient, kind: KindRef): Promise<void> {
    const { items } = await client.list<KubeObject>(kind);
    for (const { metadata } of items) await client.delete(kind, metadata.name ?? "").catch(ignoreNotFound);
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function statusOf({ applied, degraded = "False" }: NonNullable<NodeReport["status"]>, { spec }: Profile): object {
  const told = { reason: "", message: "", ...(typeof degraded === "string" ? { status: degraded } : degraded) };
  return {
    tunedProfile: spec.config.tunedProfile,
    conditions: [
      { type: "Applied", status: applied, reason: "AsExpected", message: "" },
      { type: "Degraded", ...told },
    ].map((one) => ({ ...one, lastTransitionTime: "2026-01-01T00:00:00Z" })),
  };
}

import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import type { AgentDaemonSet } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import {
  bootArgumentsAnnotation,
  generatedAnnotation,
  inputsAnnotation,
  type Profile,
  profileKind,
  tunedKind,
  tuningNamespace as namespace,
} from "../../src/domain/node-tuning/api.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { growingPause } from "../servers/until.ts";
import type { Change, Given, GivenMachineConfig, GivenNode, GivenPool, GivenTuned, NodeSide } from "./fixture.ts";

const pods = untyped("v1", "Pod", "pods", true);
const nodes = untyped("v1", "Node", "nodes", false);
const daemonSets = untyped("apps/v1", "DaemonSet", "daemonsets", true);
const clusterOperators = untyped("config.openshift.io/v1", "ClusterOperator", "clusteroperators", false);

/** A cluster of a scenario: a running operator, and everything around it done by the test. */
export class World {
  readonly client: Client;
  #operator: { stop: AbortController; running: Promise<void> } | undefined;
  /** Whether the pods of the agents count as available. */
  #operandReady = false;
  #failure: unknown;

  constructor(client: Client) {
    this.client = client;
  }

  /** Deletes the objects of an earlier scenario. */
  async clear(): Promise<void> {
    await this.#stopOperator();
    this.#operandReady = false;
    const { client } = this;
    const gone = async (
      of: KindRef,
      options: { namespace?: string; gracePeriodSeconds?: number } = {},
    ): Promise<void> => {
      const { items } = await client.list(of, options.namespace ? { namespace: options.namespace } : {});
      await Promise.all(
        items.map(({ metadata }) =>
          client
            .delete(of, metadata.name ?? "", {
              ...options,
              ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
            })
            .catch(ignoreNotFound),
        ),
      );
    };
    await gone(tunedKind, { namespace });
    await gone(profileKind, { namespace });
    await gone(daemonSets, { namespace });
    await gone(machineConfigKind);
    await gone(machineConfigPoolKind);
    await gone(clusterOperators);
    await gone(pods, { gracePeriodSeconds: 0 });
    await gone(nodes);
  }

  async begin(given: Given): Promise<void> {
    for (const pool of given.pools ?? []) await this.#createPool(pool);
    await this.#startOperator();
    // The DaemonSet was rolled out before any node joined: nodes that join later are no roll-out.
    await this.#settleDaemonSet({ stable: true });
    for (const tuned of given.tuneds ?? []) await this.#createTuned(tuned);
    for (const node of given.nodes ?? []) await this.#createNode(node);
    for (const pod of given.pods ?? []) {
      await this.#namespace(pod.namespace);
      await this.client.create(
        pods,
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: pod.name, namespace: pod.namespace, ...(pod.labels ? { labels: pod.labels } : {}) },
          spec: {
            containers: [{ name: "c", image: "i" }],
            automountServiceAccountToken: false,
            ...(pod.node ? { nodeName: pod.node } : {}),
          },
        },
        { namespace: pod.namespace },
      );
    }
    if (given.operandReady) this.#operandReady = true;
    if (given.nodeSide) await this.#nodeSide(given.nodeSide);
  }

  async apply(change: Change): Promise<void> {
    const { client } = this;
    const merge = (of: KindRef, name: string, patch: object, place: { namespace?: string } = {}): Promise<unknown> =>
      client.patch(of, name, { type: "merge", patch }, place);
    const inNamespace = { namespace };
    for (const tuned of listOf(change.createTuned)) await this.#createTuned(tuned);
    if (change.updateTuned) {
      const { name, annotations, ...spec } = change.updateTuned;
      const found = await client.get(tunedKind, name, inNamespace);
      await client.update(tunedKind, { ...found, spec: reportable(spec) as never }, inNamespace);
      if (annotations) await merge(tunedKind, name, { metadata: { annotations } }, inNamespace);
    }
    if (change.deleteTuned) await client.delete(tunedKind, change.deleteTuned, inNamespace);
    if (change.tunedMetadata) {
      const { name, ...metadata } = change.tunedMetadata;
      await merge(tunedKind, name, { metadata }, inNamespace);
    }
    if (change.defaultManagementState !== undefined)
      await merge(tunedKind, "default", { spec: { managementState: change.defaultManagementState } }, inNamespace);
    if (change.patchDefaultSpec) await merge(tunedKind, "default", { spec: change.patchDefaultSpec }, inNamespace);
    if (change.createNode) await this.#createNode(change.createNode);
    if (change.deleteNode) await client.delete(nodes, change.deleteNode);
    if (change.nodeLabels)
      await merge(nodes, change.nodeLabels.node, { metadata: { labels: change.nodeLabels.labels } });
    if (change.nodeAnnotations)
      await merge(nodes, change.nodeAnnotations.node, {
        metadata: { annotations: change.nodeAnnotations.annotations },
      });
    if (change.nodeProviderID)
      await merge(nodes, change.nodeProviderID.node, { spec: { providerID: change.nodeProviderID.providerID } });
    if (change.createPool) await this.#createPool(change.createPool);
    if (change.patchPool) await merge(machineConfigPoolKind, change.patchPool.name, { spec: change.patchPool.spec });
    if (change.deletePool) await client.delete(machineConfigPoolKind, change.deletePool);
    if (change.podLabels) {
      const { name, labels, ...place } = change.podLabels;
      await merge(pods, name, { metadata: { labels } }, place);
    }
    if (change.deletePod) {
      const { name, ...place } = change.deletePod;
      await client.delete(pods, name, { ...place, gracePeriodSeconds: 0 });
    }
    if (change.deleteProfile) await client.delete(profileKind, change.deleteProfile, inNamespace);
    if (change.patchProfile)
      await merge(profileKind, change.patchProfile.node, { spec: change.patchProfile.spec }, inNamespace);
    for (const config of listOf(change.createMachineConfig)) await this.#createMachineConfig(config);
    if (change.patchMachineConfig) {
      const { name, ...patch } = change.patchMachineConfig;
      await merge(machineConfigKind, name, patch);
    }
    // The Go operator may have created one where Attune has none, as intended.
    if (change.deleteMachineConfig)
      await client.delete(machineConfigKind, change.deleteMachineConfig).catch(ignoreNotFound);
    if (change.deleteDaemonSet) await client.delete(daemonSets, "tuned", inNamespace);
    if (change.operandReady) this.#operandReady = true;
    if (change.restartOperator) {
      await this.#stopOperator();
      await this.#startOperator();
    }
    if (change.nodeSide) await this.#nodeSide(change.nodeSide);
  }

  /** Writes the status of the DaemonSet, as kube-controller-manager would. */
  async tick(): Promise<void> {
    await this.#settleDaemonSet({ stable: false });
  }

  async end(): Promise<void> {
    await this.#stopOperator();
  }

  async #startOperator(): Promise<void> {
    const stop = new AbortController();
    const running = runOperator({
      client: this.client,
      signal: stop.signal,
      image: "attune:test",
      agentServiceAccount: "attune-agent",
      version: "1.2.3",
      protocol: "shipped",
      leaderElection: false,
      features: { machineConfigPools: true, clusterOperators: true },
    });
    this.#operator = { stop, running };
    running.catch((error: unknown) => (this.#failure = error));
  }

  async #stopOperator(): Promise<void> {
    this.#operator?.stop.abort();
    await this.#operator?.running;
    this.#operator = undefined;
  }

  async #settleDaemonSet({ stable }: { stable: boolean }): Promise<void> {
    for (const pause = growingPause(); ; await pause()) {
      if (this.#failure) throw this.#failure;
      const daemonSet: AgentDaemonSet | undefined = await this.client
        .get(daemonSets, "tuned", { namespace })
        .catch(ignoreNotFound);
      if (!daemonSet && !stable) return;
      if (daemonSet) await this.#writeDaemonSetStatus(daemonSet);
      const generation = String(daemonSet?.metadata.generation);
      const known = daemonSet?.metadata.annotations?.["tuned.openshift.io/last-stable-daemonset-generation"];
      if (!stable || known === generation) return;
    }
  }

  async #writeDaemonSetStatus({ metadata, status = {} }: AgentDaemonSet): Promise<void> {
    const { items } = await this.client.list(nodes);
    const count = items.filter((node) => node.metadata.labels?.["kubernetes.io/os"] === "linux").length;
    const available = this.#operandReady ? count : 0;
    const next = {
      observedGeneration: metadata.generation,
      desiredNumberScheduled: count,
      currentNumberScheduled: count,
      updatedNumberScheduled: count,
      numberAvailable: available,
      numberUnavailable: count - available,
    };
    const same = Object.entries(next).every(
      ([field, value]) => (status[field as keyof typeof status] ?? 0) === (value ?? 0),
    );
    if (same) return;
    const patch = { status: { ...next, numberMisscheduled: 0, numberReady: available } };
    await this.client
      .patch(daemonSets, "tuned", { type: "merge", patch }, { namespace, subresource: "status" })
      .catch(ignoreNotFound);
  }

  async #namespace(name: string): Promise<void> {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await this.client.patch(kinds.namespace, name, { type: "apply", object, force: true }, { fieldManager: "test" });
  }

  async #createTuned({ name, annotations, ...spec }: GivenTuned): Promise<void> {
    const metadata = { name, namespace, ...(annotations ? { annotations } : {}) };
    await this.client.create(
      tunedKind,
      { apiVersion: tunedKind.apiVersion, kind: "Tuned", metadata, spec: reportable(spec) as never },
      { namespace },
    );
  }

  async #createNode({ name, labels, annotations, providerID }: GivenNode): Promise<void> {
    await this.client.create(nodes, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
      spec: providerID === undefined ? {} : { providerID },
    });
  }

  async #createPool({ name, ...spec }: GivenPool): Promise<void> {
    const { apiVersion, kind } = machineConfigPoolKind;
    await this.client.create(machineConfigPoolKind, { apiVersion, kind, metadata: { name }, spec });
  }

  async #createMachineConfig({
    name,
    labels,
    generatedByAnnotation,
    kernelArguments,
  }: GivenMachineConfig): Promise<void> {
    const { apiVersion, kind } = machineConfigKind;
    const annotations: Record<string, string> = generatedByAnnotation ? { [generatedAnnotation]: "0" } : {};
    await this.client.create(machineConfigKind, {
      apiVersion,
      kind,
      metadata: { name, annotations, ...(labels ? { labels } : {}) },
      spec: kernelArguments ? { kernelArguments } : {},
    });
  }

  /** Writes the reports of agents, once each of these nodes has its Profile. */
  async #nodeSide(sides: readonly NodeSide[]): Promise<void> {
    for (const { node, bootcmdline, deps, status } of sides) {
      const profile = await this.#profileOf(node);
      const current = profile?.metadata.annotations?.[inputsAnnotation];
      const annotations = {
        ...(bootcmdline === undefined ? {} : { [bootArgumentsAnnotation]: bootcmdline }),
        ...(deps === undefined ? {} : { [inputsAnnotation]: deps === "current" ? current : deps }),
      };
      if (status && profile) await this.#writeStatus(profile, status);
      if (Object.keys(annotations).length > 0)
        await this.client.patch(nodes, node, { type: "merge", patch: { metadata: { annotations } } });
    }
  }

  async #writeStatus({ metadata, spec }: Profile, status: NonNullable<NodeSide["status"]>): Promise<void> {
    const { applied = "True", degraded = "False", tunedProfile = "current" } = status;
    const condition = (type: string, status: string): object => ({
      type,
      status,
      reason: "AsExpected",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    const patch = {
      status: {
        tunedProfile: tunedProfile === "current" ? spec.config.tunedProfile : tunedProfile,
        conditions: [condition("Applied", applied), condition("Degraded", degraded)],
      },
    };
    const place = { namespace, subresource: "status" };
    await this.client.patch(profileKind, metadata.name ?? "", { type: "merge", patch }, place);
  }

  /** Windows nodes have none. */
  async #profileOf(node: string): Promise<Profile | undefined> {
    const { metadata } = await this.client.get(nodes, node);
    if (metadata.labels?.["kubernetes.io/os"] !== "linux") return undefined;
    for (const pause = growingPause(); ; await pause()) {
      const profile = await this.client.get(profileKind, node, { namespace }).catch(ignoreNotFound);
      if (profile) return profile;
    }
  }
}

function listOf<T>(value: T | T[] | undefined): T[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}

/**
 * The recorded nodes report boot arguments that their texts do not have. Attune refuses those, unless the text lets a
 * program of the node print them.
 */
function reportable<T extends Pick<GivenTuned, "profile" | "recommend">>(spec: T): T {
  if (!spec.recommend?.some(({ machineConfigLabels }) => machineConfigLabels)) return spec;
  const boot = "[bootloader]\ncmdline_node=${f:exec:print-arguments}\n";
  return { ...spec, profile: spec.profile?.map(({ name, data }) => ({ name, data: `${data}\n${boot}` })) };
}

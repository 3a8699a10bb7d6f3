import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { profileKind, type Protocol, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import { clusterOperatorKind } from "../../src/domain/node-tuning/node-tuning-controller.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { configMapOf, type NodeReport, patchOf, type RecordedCase, type RecordedChange } from "./cases.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { Relay } from "./relay.ts";
import { controlPlane, poolNamespace, type TwoClusters } from "./two-clusters.ts";

const depsAnnotation = "tuned.openshift.io/bootcmdline-deps";
const bootAnnotation = "tuned.openshift.io/bootcmdline";

interface Place {
  readonly client: Client;
  readonly kind: KindRef;
  readonly namespace?: string;
}

type Way = ReturnType<typeof Relay.to>;
type Ways = Readonly<Record<"management" | "hosted", Awaited<Way>>>;

/** The two clusters of an `op-` case with the operator between them. Everything around it is done by the test. */
export class OperatorWorld {
  readonly #clusters: TwoClusters;
  /** Of the operator. */
  readonly #ways: Ways;
  readonly #places: Readonly<Record<string, Place>>;
  #operator: HostedOperator;
  #protocol: Protocol = "documented";

  private constructor(clusters: TwoClusters, ways: Ways) {
    this.#clusters = clusters;
    this.#ways = ways;
    this.#operator = new HostedOperator(ways);
    const { client } = clusters.hosted;
    this.#places = {
      ConfigMap: { client: clusters.management.client, kind: kinds.configMap, namespace: controlPlane },
      UserConfigMap: { client: clusters.management.client, kind: kinds.configMap, namespace: poolNamespace },
      Tuned: { client, kind: tunedKind, namespace: tuningNamespace },
      Profile: { client, kind: profileKind, namespace: tuningNamespace },
      DaemonSet: { client, kind: kinds.daemonSet, namespace: tuningNamespace },
      Node: { client, kind: kinds.node },
      ClusterOperator: { client, kind: clusterOperatorKind },
    };
  }

  static async between(clusters: TwoClusters): Promise<OperatorWorld> {
    const [management, hosted] = [clusters.management, clusters.hosted].map(({ server }) => Relay.to(server)) as [
      Way,
      Way,
    ];
    return new OperatorWorld(clusters, { management: await management, hosted: await hosted });
  }

  #place(kind: string): Place {
    const place = this.#places[kind];
    if (!place) throw new Error(`no place for ${kind}`);
    return place;
  }

  async begin(recorded: RecordedCase<unknown>, protocol: Protocol): Promise<void> {
    await this.#clear();
    this.#protocol = protocol;
    this.#operator = new HostedOperator(this.#ways, protocol);
    for (const { name, labels } of recorded.nodes ?? []) await this.#create(nodeOf(name, labels));
    for (const { configMap } of recorded.objects) if (configMap) await this.#create(configMapOf(configMap));
    this.#operator.start();
  }

  async end(): Promise<void> {
    await this.#operator.stop();
  }

  async close(): Promise<void> {
    await this.end();
    for (const { relay, client } of Object.values(this.#ways)) {
      client.close();
      await relay.close();
    }
  }

  /** Deletes what an earlier case left. */
  async #clear(): Promise<void> {
    await this.end();
    for (const { client, kind, namespace } of Object.values(this.#places)) {
      const place = namespace === undefined ? {} : { namespace };
      const { items } = await client.list(kind, place);
      for (const { metadata } of items) {
        const { name = "", finalizers } = metadata;
        if (finalizers?.length)
          await client.patch(kind, name, { type: "merge", patch: { metadata: { finalizers: null } } }, place);
        await client.delete(kind, name, place).catch(ignoreNotFound);
      }
    }
  }

  async change(change: RecordedChange): Promise<void> {
    const { create, patch, merge = {}, nodeSide = [], operator } = change;
    if (change.freeze) this.#ways[change.freeze].relay.freeze();
    if (change.unfreeze) this.#ways[change.unfreeze].relay.restore();
    if (operator === "stop" || operator === "restart") await this.#operator.stop();
    if (operator === "start" || operator === "restart") this.#operator.start();
    if (create?.configMap) await this.#create(configMapOf(create.configMap));
    if (create?.object) await this.#create(create.object);
    if (patch) await this.#patch(patch, patchOf(merge));
    if (change.delete) await this.#delete(change.delete);
    if (change.operandReady) await this.#makeReady();
    for (const report of nodeSide) await this.#report(report);
  }

  async #create(object: KubeObject): Promise<void> {
    const isOfUser = object.kind === "ConfigMap" && object.metadata.namespace === poolNamespace;
    const { client, kind, namespace } = this.#place(isOfUser ? "UserConfigMap" : object.kind);
    const { uid: _uid, ...metadata } = object.metadata;
    const own =
      object.kind === "Node"
        ? nodeOf(metadata.name ?? "", metadata.labels)
        : { ...object, metadata: { ...metadata, namespace } };
    await client.create(kind, own, namespace === undefined ? {} : { namespace });
  }

  async #patch(target: string, patch: object): Promise<void> {
    const [kind = "", name = ""] = target.split("/");
    const { client, kind: of, namespace } = this.#place(kind);
    await client.patch(of, name, { type: "merge", patch }, { namespace }).catch(ignoreNotFound);
  }

  async #delete(target: string): Promise<void> {
    const [kind = "", name = ""] = target.split("/");
    const { client, kind: of, namespace } = this.#place(kind);
    await client.delete(of, name, { namespace }).catch(ignoreNotFound);
  }

  async #makeReady(): Promise<void> {
    const { client, kind, namespace } = this.#place("DaemonSet");
    const { metadata } = await client.get(kind, "tuned", { namespace });
    const patch = {
      status: {
        observedGeneration: metadata.generation,
        numberAvailable: 2,
        desiredNumberScheduled: 2,
        updatedNumberScheduled: 2,
        currentNumberScheduled: 2,
        numberReady: 2,
        numberMisscheduled: 0,
      },
    };
    await client.patch(kind, "tuned", { type: "merge", patch }, { namespace, subresource: "status" });
  }

  /** As an agent does, once its node has a Profile. */
  async #report({ node, status, bootcmdline, deps }: NodeReport): Promise<void> {
    const { client } = this.#clusters.hosted;
    const place = { namespace: tuningNamespace };
    const {
      spec,
      metadata,
      status: before,
    } = await eventually(`Profile ${node}`, () => client.get(profileKind, node, place));
    const isDocumented = this.#protocol === "documented";
    const current = isDocumented ? inputsOf(spec) : metadata.annotations?.[depsAnnotation];
    const inputs = deps === undefined ? undefined : deps === "current" ? current : deps === "absent" ? null : deps;
    const applied = status && {
      tunedProfile: status.tunedProfile ?? spec.config.tunedProfile,
      conditions: conditionsOf(status),
    };
    const reported = isDocumented
      ? {
          ...(bootcmdline === undefined ? {} : { bootcmdline }),
          ...(inputs === undefined ? {} : { bootcmdlineInputs: inputs }),
        }
      : {};
    const patch = {
      status: { tunedProfile: before?.tunedProfile ?? spec.config.tunedProfile, ...applied, ...reported },
    };
    await client.patch(profileKind, node, { type: "merge", patch }, { ...place, subresource: "status" });
    if (isDocumented) return;
    const annotations = {
      ...(bootcmdline === undefined ? {} : { [bootAnnotation]: bootcmdline }),
      ...(inputs === undefined ? {} : { [depsAnnotation]: inputs }),
    };
    await client.patch(kinds.node, node, { type: "merge", patch: { metadata: { annotations } } });
  }
}

function nodeOf(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } } };
}

function conditionsOf({ applied, degraded = "False" }: NonNullable<NodeReport["status"]>): object[] {
  const isDegraded = typeof degraded === "string" ? degraded : degraded.status;
  return [
    ["Applied", applied],
    ["Degraded", isDegraded],
  ].map(([type, status]) => ({
    type,
    status,
    reason: "AsExpected",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  }));
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}

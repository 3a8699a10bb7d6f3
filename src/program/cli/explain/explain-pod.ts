import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import {
  infrastructureKind,
  partitioningConfigMap,
  partitioningStatus,
} from "../../../domain/workload-partitioning/identifier.ts";
import { explainPod, type PodExplanation } from "../../../domain/workload-partitioning/pod/explain-pod.ts";
import { readRefusal, refusedReason } from "../../../domain/workload-partitioning/refusal-event.ts";
import { defaultRelease, releases } from "../../../domain/workload-partitioning/release.ts";
import type { PartitioningView } from "../../../domain/workload-partitioning/view.ts";
import { at, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { coresOfNode } from "../../webhook/partitioning/partitioning-view.ts";

/** How often a pod of this name was refused, as its events say: API servers keep them for an hour. */
export interface RefusalExplanation {
  readonly rule: string;
  readonly message: string;
  readonly count: number;
  readonly last: string;
}

export type PodStory = (PodExplanation | { readonly namespace: string; readonly pod: string }) & {
  readonly refusals: readonly RefusalExplanation[];
};

export interface PodQuestion {
  readonly client: Client;
  readonly name: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** What admission did with a pod. One that was refused does not exist: then only its refusals are known. */
export async function podStory(question: PodQuestion): Promise<PodStory> {
  const { client, name, namespace, signal } = question;
  const pod = await found(client.get<KubeObject>(kinds.pod, name, { namespace, signal }));
  const refusals = await refusalsOf(question);
  if (!pod && refusals.length === 0)
    throw new Error(
      `pods ${JSON.stringify(name)} not found in namespace ${namespace}, and no event tells that one was refused`,
    );
  if (!pod) return { namespace, pod: name, refusals };
  const view = await viewOf(question);
  return { ...explainPod(pod, { view, release: releases[defaultRelease] }), refusals };
}

/** Of pods with this name, or of a controller whose pods' names begin as this one. */
async function refusalsOf({ client, name, namespace, signal }: PodQuestion): Promise<RefusalExplanation[]> {
  const fieldSelector = `reason=${refusedReason},involvedObject.kind=Pod`;
  const { items } = await client.list<KubeObject>(kinds.event, { namespace, fieldSelector, signal });
  return items.flatMap((event) => {
    const refused = text(at(event, "involvedObject", "name"));
    const isThis = refused === name || (refused.endsWith("-") && name.startsWith(refused));
    const read = isThis ? readRefusal(text(event["message"])) : undefined;
    if (!read) return [];
    const { count = 1, lastTimestamp } = event as { count?: number; lastTimestamp?: string };
    return [{ rule: read.rule, message: read.message, count, last: lastTimestamp ?? "" }];
  });
}

async function viewOf({ client, namespace: name, signal }: PodQuestion): Promise<PartitioningView> {
  const infrastructure = await found(client.get<KubeObject>(infrastructureKind as never, "cluster", { signal }));
  const { name: configMap, namespace: within } = partitioningConfigMap;
  const identifier =
    infrastructure ?? (await found(client.get<KubeObject>(kinds.configMap, configMap, { namespace: within, signal })));
  const { items } = await client.list<KubeObject>(kinds.node, { signal });
  const { metadata } = await client.get<KubeObject>(kinds.namespace, name, { signal });
  return {
    ready: true,
    identifier: partitioningStatus(identifier),
    nodes: items.map(coresOfNode),
    coresFrom: infrastructure ? "kubelet" : "agent",
    namespace: { type: "found", name, annotations: metadata.annotations ?? {} },
  };
}

async function found<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

import { isApiError, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import {
  infrastructureKind,
  partitioningConfigMap,
  partitioningStatus,
} from "../../../domain/workload-partitioning/identifier.ts";
import { explainPod, type PodExplanation } from "../../../domain/workload-partitioning/pod/explain-pod.ts";
import { defaultRelease, releases } from "../../../domain/workload-partitioning/release.ts";
import type { PartitioningView } from "../../../domain/workload-partitioning/view.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { coresOfNode } from "../../webhook/partitioning/partitioning-view.ts";
import { readRefusals, type RefusalExplanation } from "./refusals.ts";

export type PodStory = (PodExplanation | { readonly namespace: string; readonly pod: string }) & {
  readonly refusals: readonly RefusalExplanation[];
};

export interface PodQuestion {
  readonly client: Client;
  readonly name: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The namespaces with a pod of this name, or how to see all pods. */
async function elsewhere({ client, name, signal }: PodQuestion): Promise<string> {
  const all = "; kubectl get pods -A lists all";
  try {
    const { items } = await client.list(kinds.pod, { fieldSelector: `metadata.name=${name}`, signal });
    const flags = items.slice(0, 3).map(({ metadata }) => `-n ${metadata.namespace}`);
    return flags.length > 0 ? `; there is one elsewhere: ${flags.join(", or ")}` : all;
  } catch (error) {
    // The user may read only this namespace, or the name is none that a selector takes.
    if (isApiError(error) && error.code !== 0) return all;
    throw error;
  }
}

/** What admission did with a pod. One that was refused does not exist: then only its refusals are known. */
export async function podStory(question: PodQuestion): Promise<PodStory> {
  const { client, name, namespace, signal } = question;
  const pod = await found(client.get<KubeObject>(kinds.pod, name, { namespace, signal }));
  const refusals = refusalsOf(name, await readRefusals({ client, kind: "Pod", namespace, signal }), pod !== undefined);
  if (!pod && refusals.length === 0)
    throw new Error(
      `pods ${JSON.stringify(name)} not found in namespace ${namespace}, and no event of the last hour tells that one was refused${await elsewhere(question)}`,
    );
  if (!pod) return { namespace, pod: name, refusals };
  const view = await viewOf(question);
  return { ...explainPod(pod, { view, release: releases[defaultRelease] }), refusals };
}

/** Of a controller's pods admission knows the beginning of the name: a question may name such a pod, or the controller. */
function refusalsOf(name: string, all: readonly RefusalExplanation[], exists: boolean): RefusalExplanation[] {
  const own = all.filter(({ refused }) => refused === name || (refused.endsWith("-") && name.startsWith(refused)));
  return exists || own.length > 0 ? own : all.filter(({ refused }) => refused.startsWith(`${name}-`));
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

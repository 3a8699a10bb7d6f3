import { isApiError } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { controlPlaneNamespace, hostedClusterKind, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { configReferences, tuningReferences } from "../../../domain/node-pool/references.ts";
import { keyOf, type KindRef, type KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { BundlePart } from "./bundle.ts";
import { type Content, contents, ofAttune } from "./contents.ts";
import { redactObject, redactText } from "./redact.ts";

export interface Collection {
  readonly client: Client;
  /** Of Attune. */
  readonly namespaces: readonly string[];
  readonly bundle: BundlePart;
  readonly signal: AbortSignal;
}

export interface Counts {
  objects: number;
  events: number;
  logs: number;
  nodePools: number;
}

/** The last part of a log is what is asked about. */
const logLines = 5_000;
const logBytes = 1_048_576;
/** More pods than that run the same programs. */
const mostPodsWithLogs = 50;

/** Where a collection looks: our namespaces, and those with the operators of hosted clusters and what users give them. */
interface Places extends Collection {
  readonly controlPlanes: readonly string[];
  /** `namespace/name` of ConfigMaps that NodePools name. */
  readonly given: ReadonlySet<string>;
}

/** Puts into the bundle what the user may read. What they may not, and what is missing, is named in it. */
export async function collect(collection: Collection): Promise<Counts> {
  const { nodePools, ...hosted } = await placesOfHosted(collection);
  const counts: Counts = { objects: 0, events: 0, logs: 0, nodePools };
  const places = { ...collection, ...hosted };
  for (const content of contents) counts.objects += await collectObjects(content, places);
  counts.events = await collectEvents(places);
  counts.logs = await collectLogs(places);
  return counts;
}

async function placesOfHosted(
  collection: Collection,
): Promise<Pick<Places, "controlPlanes" | "given"> & Pick<Counts, "nodePools">> {
  const [hostedClusters, nodePools] = await Promise.all([
    listed(hostedClusterKind, {}, { ...collection, bundle: silent }),
    listed(nodePoolKind, {}, { ...collection, bundle: silent }),
  ]);
  const own = ({ metadata }: KubeObject, name: string): string => `${metadata.namespace}/${name}`;
  return {
    nodePools: nodePools.length,
    controlPlanes: hostedClusters.map(({ metadata: { namespace = "", name = "" } }) =>
      controlPlaneNamespace(namespace, name),
    ),
    given: new Set(
      nodePools.flatMap((one) => [...tuningReferences(one), ...configReferences(one)].map((name) => own(one, name))),
    ),
  };
}

/** What cannot be listed is named when it is collected. */
const silent: BundlePart = { add() {}, leave() {} };

async function collectObjects(content: Content, collection: Places): Promise<number> {
  const { kind, of, labelSelector, keeps = () => true } = content;
  const { namespaces, controlPlanes, given } = collection;
  const inNamespaces = {
    all: [undefined],
    own: namespaces,
    controlPlanes,
    given: [...new Set([...given].map((name) => name.split("/")[0]))],
  }[of];
  const isMeant = (object: KubeObject): boolean => keeps(object) && (of !== "given" || given.has(keyOf(object)));
  const { bundle } = collection;
  let count = 0;
  for (const namespace of inNamespaces)
    for (const object of (await listed(kind, { namespace, labelSelector }, collection)).filter(isMeant)) {
      const { name = "", namespace: own } = object.metadata;
      const whole = { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
      bundle.add(
        `objects/${kind.plural}/${own === undefined ? "" : `${own}/`}${name}.yaml`,
        writeYaml(redactObject(whole)),
      );
      count++;
    }
  return count;
}

/** None where the cluster has no such kind. */
async function listed<T extends KubeObject>(
  kind: KindRef<T>,
  {
    namespace,
    labelSelector,
  }: { readonly namespace?: string | undefined; readonly labelSelector?: string | undefined },
  { client, bundle, signal }: Collection,
): Promise<readonly T[]> {
  try {
    return (await client.list(kind, { namespace, labelSelector, signal })).items;
  } catch (error) {
    if (!isApiError(error) || error.code === 0 || error.code === 401) throw error;
    if (error.code !== 404)
      bundle.leave(`${kind.plural}${namespace === undefined ? "" : ` of namespace ${namespace}`}`, error.message);
    return [];
  }
}

/** Of our namespaces, and of nodes, whose events are in the namespace `default`. */
async function collectEvents(collection: Places): Promise<number> {
  let count = 0;
  const { namespaces, controlPlanes, given } = collection;
  const ofNodePools = [...given].map((name) => name.split("/")[0] ?? "");
  for (const namespace of new Set([...namespaces, "default", ...controlPlanes, ...ofNodePools])) {
    const events = await listed(kinds.event, { namespace }, collection);
    const lines = events.map((event) => {
      const {
        involvedObject: about,
        type,
        reason,
        message,
        count: times = 1,
        lastTimestamp,
        eventTime,
        firstTimestamp,
      } = event as NonNullable<(typeof kinds.event)["object"]>;
      const at = lastTimestamp ?? eventTime ?? firstTimestamp ?? "";
      return `${at}  ${type}  ${reason}  ${about.kind}/${about.name}  x${times}  ${redactText(message ?? "")}\n`;
    });
    if (lines.length > 0) collection.bundle.add(`events/${namespace}.txt`, lines.toSorted().join(""));
    count += lines.length;
  }
  return count;
}

async function collectLogs(collection: Places): Promise<number> {
  const { client, bundle, signal, namespaces, controlPlanes } = collection;
  const pods: KubeObject[] = [];
  for (const namespace of namespaces) pods.push(...(await listed(kinds.pod, { namespace }, collection)));
  for (const namespace of controlPlanes)
    pods.push(...(await listed(kinds.pod, { namespace, labelSelector: ofAttune }, collection)));
  for (const { metadata } of pods.slice(mostPodsWithLogs))
    bundle.leave(`logs of pod ${metadata.name}`, "other pods have their logs here");
  let count = 0;
  for (const { metadata, spec } of pods.slice(0, mostPodsWithLogs) as NonNullable<(typeof kinds.pod)["object"]>[])
    for (const { name: container } of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])])
      for (const previous of [false, true]) {
        const { name = "", namespace = "" } = metadata;
        const query = `container=${encodeURIComponent(container)}&tailLines=${logLines}&limitBytes=${logBytes}&timestamps=true`;
        const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}${previous ? "&previous=true" : ""}`;
        const file = `logs/${namespace}/${name}/${container}${previous ? ".previous" : ""}.log`;
        try {
          const text = await client.raw("GET", path, undefined, { signal });
          bundle.add(file, redactText(typeof text === "string" ? text : ""));
          count++;
        } catch (error) {
          if (!isApiError(error) || error.code === 0 || error.code === 401) throw error;
          // A container that never restarted has no previous log.
          if (!previous) bundle.leave(file, error.message);
        }
      }
  return count;
}

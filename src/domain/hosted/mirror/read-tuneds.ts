import { dnsSubdomain, labelValue } from "../../../language/object/names.ts";
import { type Tuned, tunedKind } from "../../node-tuning/api.ts";
import { tunedKinds } from "../envelope/manifest-kinds.ts";
import { type ConfigMap, type ManifestProblem, type ReadManifests, readManifests } from "../envelope/read-manifests.ts";
import { hostedTunedName } from "../names.ts";
import { contentOf, keys, nodePoolIn, tuningKeys } from "../protocol.ts";

/** A Tuned that the hosted cluster must have. */
export interface Mirrored {
  readonly nodePool: string;
  /** The ConfigMap with its manifest. */
  readonly from: string;
  readonly tuned: Tuned;
}

/** A manifest that cannot be mirrored. */
export interface MirrorProblem extends ManifestProblem {
  /** Absent: the ConfigMap does not tell. */
  readonly nodePool?: string | undefined;
}

export interface ReadTuneds {
  /** By their names in the hosted cluster. */
  readonly mirrored: ReadonlyMap<string, Mirrored>;
  readonly problems: readonly MirrorProblem[];
}

export type ReadTunedManifests = (configMap: ConfigMap) => ReadManifests;

function readTunedManifests(configMap: ConfigMap): ReadManifests {
  return readManifests(configMap, tuningKeys, tunedKinds);
}

/** Reads each version of a ConfigMap once: the objects of caches do not change. */
export function readingOnce(): ReadTunedManifests {
  const known = new WeakMap<ConfigMap, ReadManifests>();
  return (configMap) => {
    const found = known.get(configMap) ?? readTunedManifests(configMap);
    known.set(configMap, found);
    return found;
  };
}

/** The Tuneds of all NodePools, as ConfigMaps of the control plane namespace hold them. */
export function readTuneds(
  configMaps: readonly ConfigMap[],
  namespace: string,
  read: ReadTunedManifests = readTunedManifests,
): ReadTuneds {
  const mirrored = new Map<string, Mirrored>();
  const problems: MirrorProblem[] = [];
  const ours = configMaps.filter((one) => contentOf(one) === "tuneds" && !one.metadata.deletionTimestamp);
  for (const configMap of ours.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const from = nameOf(configMap);
    const nodePool = nodePoolIn(configMap);
    const invalid = nodePool === undefined ? "is missing" : labelValue(nodePool)[0];
    if (nodePool === undefined || invalid !== undefined) {
      problems.push({ configMap: from, field: `metadata.annotations[${keys.nodePool}]`, message: invalid ?? "" });
      continue;
    }
    const found = read(configMap);
    problems.push(...found.problems.map((problem) => ({ ...problem, nodePool })));
    for (const { place, object } of found.manifests) {
      const tuned = hostedTuned(object, nodePool, namespace);
      const name = nameOf(tuned);
      const fault = dnsSubdomain(name)[0] ?? taken(mirrored.get(name));
      if (fault === undefined) mirrored.set(name, { nodePool, from, tuned });
      else problems.push({ ...place, nodePool, kind: "Tuned", name: nameOf(object), message: fault });
    }
  }
  return { mirrored, problems };
}

/** What a Tuned is called and how it is labelled in the hosted cluster. Only `default` has a management state there. */
function hostedTuned({ metadata, spec }: Tuned, nodePool: string, namespace: string): Tuned {
  const { managementState: _, ...own } = spec ?? {};
  return {
    apiVersion: tunedKind.apiVersion,
    kind: tunedKind.kind,
    metadata: {
      name: hostedTunedName(metadata.name ?? "", nodePool),
      // The author's cluster may have another namespace for Tuneds.
      namespace,
      labels: { ...metadata.labels, [keys.nodePoolName]: nodePool },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
    },
    spec: own,
  };
}

function taken(other: Mirrored | undefined): string | undefined {
  return other && `ConfigMap ${other.from} has a Tuned of the same name, which is used instead`;
}

function nameOf({ metadata }: Pick<Tuned, "metadata">): string {
  return metadata.name ?? "";
}

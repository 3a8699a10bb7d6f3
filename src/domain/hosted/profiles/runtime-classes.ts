import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { derivedNames } from "../../performance-profile/names.ts";
import type { EnvelopedProfile } from "./read-envelope.ts";

/** On a RuntimeClass of the hosted cluster: the profile that it is derived from. One without a profile is removed. */
export const profileAnnotation = "rollout.attune.dev/profile";

/**
 * The RuntimeClass of a profile, which all NodePools with a profile of this name share. It can have no owner: the ConfigMap is
 * in another cluster.
 */
export function hostedRuntimeClass(object: KubeObject, { metadata, envelope }: EnvelopedProfile): KubeObject {
  const { scheduling: _, ...rest } = object;
  const { nodeSelector } = envelope;
  return {
    ...rest,
    metadata: { name: object.metadata.name, annotations: { [profileAnnotation]: metadata.name ?? "" } },
    ...(nodeSelector ? { scheduling: { nodeSelector: { ...nodeSelector } } } : {}),
  };
}

/** Why the RuntimeClass of a profile is that of an older profile of the same name. */
export function runtimeClassTaken(profile: EnvelopedProfile, others: readonly EnvelopedProfile[]): string | undefined {
  const { name = "" } = profile.metadata;
  const rival = others.find(
    (other) =>
      other.metadata.name === name &&
      !other.metadata.deletionTimestamp &&
      other.envelope.problem === undefined &&
      isBefore(other, profile) &&
      !equal(other.envelope.nodeSelector, profile.envelope.nodeSelector),
  );
  return (
    rival &&
    `RuntimeClass ${derivedNames(name).runtimeClass} is that of NodePool ${rival.envelope.nodePool}, whose profile ${name} has another nodeSelector: give both the same, or rename one`
  );
}

/** Why a profile takes no effect beside an older one of the same NodePool. */
export function severalProfiles(profile: EnvelopedProfile, others: readonly EnvelopedProfile[]): string | undefined {
  const { nodePool } = profile.envelope;
  const first = others.find(
    (other) =>
      other.envelope.nodePool === nodePool &&
      other.metadata.uid !== profile.metadata.uid &&
      !other.metadata.deletionTimestamp &&
      isBefore(other, profile),
  );
  return (
    first &&
    `NodePool ${nodePool} has the profile ${first.metadata.name} of ConfigMap ${first.envelope.configMap.metadata.name} already: remove one of them`
  );
}

/** Of two profiles the older one counts, whatever is written later. */
function isBefore(other: EnvelopedProfile, one: EnvelopedProfile): boolean {
  const [theirs, ours] = [other, one].map(({ metadata, envelope }) => [
    metadata.creationTimestamp ?? "",
    envelope.configMap.metadata.name ?? "",
  ]) as [string[], string[]];
  return theirs[0] === ours[0] ? theirs[1]! < ours[1]! : theirs[0]! < ours[0]!;
}

/** Whether a RuntimeClass of ours has no profile any more. One of a profile that cannot be read is known by its status. */
export function isOrphaned(runtimeClass: KubeObject, profiles: readonly EnvelopedProfile[]): boolean {
  const { name, annotations = {}, deletionTimestamp } = runtimeClass.metadata;
  if (deletionTimestamp || !Object.hasOwn(annotations, profileAnnotation)) return false;
  const isNamed = derivedNames(annotations[profileAnnotation] ?? "").runtimeClass === name;
  return isNamed && profiles.every((profile) => derivedNames(profile.metadata.name ?? "").runtimeClass !== name);
}

import type { KubeObject } from "../../../language/object/meta.ts";
import { fnv32a } from "../../../language/object/hash.ts";
import type { PerformanceProfile } from "../../performance-profile/api.ts";
import { type EmbeddedProfile, type HostedProtocol, keys } from "../protocol.ts";

/** On a profile inside its ConfigMap: the name that its author gave it, which may have been shortened. */
const plainNameAnnotation = "rollout.attune.dev/profile";

/** The profile as its ConfigMap holds it. */
export function embedProfile(
  profile: PerformanceProfile,
  place: EmbeddedProfile,
  protocol: HostedProtocol,
): PerformanceProfile {
  const name = protocol.embeddedName(place);
  const { labels, annotations } = profile.metadata;
  if (name === place.profile) return profile;
  return {
    ...profile,
    metadata: {
      name,
      labels: { ...labels, [keys.nodePoolName]: place.nodePool },
      annotations: { ...annotations, [plainNameAnnotation]: place.profile },
    },
  };
}

/** The profile with the name that its author gave it, from a ConfigMap of either column. Other objects stay as they are. */
export function plainProfile<T extends KubeObject>(object: T, nodePool: string): T {
  const { annotations = {}, labels = {}, name = "" } = object.metadata;
  if (!Object.hasOwn(labels, keys.nodePoolName) || labels[keys.nodePoolName] !== nodePool) return object;
  const { [keys.nodePoolName]: _, ...ownLabels } = labels;
  const { [plainNameAnnotation]: noted, ...ownAnnotations } = annotations;
  const suffix = `-${fnv32a(nodePool)}`;
  const plain = noted ?? (name.endsWith(suffix) ? name.slice(0, -suffix.length) : name);
  return {
    ...object,
    metadata: {
      name: plain,
      ...(Object.keys(ownLabels).length > 0 ? { labels: ownLabels } : {}),
      ...(Object.keys(ownAnnotations).length > 0 ? { annotations: ownAnnotations } : {}),
    },
  };
}

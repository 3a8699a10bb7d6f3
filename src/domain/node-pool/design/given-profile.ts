import { tuningKinds } from "../../hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, type Place, readManifests } from "../../hosted/envelope/read-manifests.ts";
import { tuningKeys } from "../../hosted/protocol.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../performance-profile/api.ts";
import type { NodePool } from "../api.ts";
import { tuningReferences } from "../references.ts";

/** A profile and where it stands. */
export interface GivenProfile {
  readonly profile: PerformanceProfile;
  readonly configMap: ConfigMap;
  readonly place: Place;
}

/** The first profile that a NodePool refers to, whether it can take effect or not: a person may be about to correct it. */
export function givenProfile(
  nodePool: NodePool,
  configMap: (name: string) => ConfigMap | undefined,
): GivenProfile | undefined {
  for (const name of tuningReferences(nodePool)) {
    const found = configMap(name);
    const manifests = found ? readManifests(found, tuningKeys, tuningKinds).manifests : [];
    const manifest = manifests.find(({ object }) => object.kind === performanceProfileKind.kind);
    if (found && manifest) return { profile: manifest.object, configMap: found, place: manifest.place };
  }
  return undefined;
}

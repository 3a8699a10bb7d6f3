import type { ConfigMap } from "../envelope/read-manifests.ts";
import { contentOf } from "../protocol.ts";
import { nameInStatus } from "./profile-status.ts";
import { type EnvelopedProfile, envelopedProfile, isProfileConfigMap, readEnvelope } from "./read-envelope.ts";

/** A cache of the ConfigMaps of the control plane namespace. */
interface ConfigMaps {
  get(key: string): ConfigMap | undefined;
  list(): readonly ConfigMap[];
}

/** Reads each version of a ConfigMap once. Keys of profiles are those of their ConfigMaps. */
export class EnvelopeReader {
  readonly #configMaps: ConfigMaps;
  readonly #read = new WeakMap<ConfigMap, ReturnType<typeof readEnvelope>>();

  constructor(configMaps: ConfigMaps) {
    this.#configMaps = configMaps;
  }

  get(key: string): EnvelopedProfile | undefined {
    const configMap = this.#configMaps.get(key);
    return configMap && isProfileConfigMap(configMap) ? this.read(configMap) : undefined;
  }

  all(): EnvelopedProfile[] {
    return this.#configMaps
      .list()
      .filter(isProfileConfigMap)
      .map((configMap) => this.read(configMap));
  }

  read(configMap: ConfigMap): EnvelopedProfile {
    const known = this.#read.get(configMap) ?? readEnvelope(configMap);
    this.#read.set(configMap, known);
    return envelopedProfile(configMap, known, () => nameInStatus(this.#lastStatus(configMap)));
  }

  #lastStatus({ metadata: { uid } }: ConfigMap): ConfigMap | undefined {
    return this.#configMaps
      .list()
      .find((one) => contentOf(one) === "status" && one.metadata.ownerReferences?.some((owner) => owner.uid === uid));
  }
}

export function keyOf({ envelope: { configMap } }: EnvelopedProfile): string {
  const { namespace = "", name = "" } = configMap.metadata;
  return `${namespace}/${name}`;
}

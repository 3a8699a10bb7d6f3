import { hashOf } from "../../language/object/hash.ts";
import type { ProfileSpec, Tuned } from "./api.ts";

/**
 * What boot arguments are computed from: a node's own Profile and nothing else, so that an edit which does not concern it
 * asks it nothing. Operator and node work it out by themselves and compare.
 */
export function inputsOf(spec: ProfileSpec): string {
  const { config, profile } = spec;
  const { tunedProfile, providerName = "" } = config;
  return hashOf([tunedProfile, providerName, (profile ?? []).map(({ name, data }) => [name, data])]);
}

/** The same under the shipped protocol: every Tuned of the cluster, with the version of the operator before them. */
export function shippedInputs(tuneds: readonly Tuned[], release: string): string {
  const generations = tuneds
    .map(({ metadata: { name = "", generation = 0 } }) => ({ name, generation }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, generation }) => `${name}:${generation}`);
  return [...(release === "" ? [] : [release]), ...generations].join(",");
}

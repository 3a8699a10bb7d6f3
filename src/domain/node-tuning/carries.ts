import type { ProfileSpec } from "./api.ts";

/** Whether a Profile makes a node do the same as another: the operator that Attune replaces adds texts that nobody asks for. */
export function carries(spec: ProfileSpec, wanted: ProfileSpec): boolean {
  const { tunedProfile, providerName = "" } = spec.config;
  if (tunedProfile !== wanted.config.tunedProfile || providerName !== (wanted.config.providerName ?? "")) return false;
  const texts = new Map((spec.profile ?? []).map(({ name, data }) => [name, data]));
  return (wanted.profile ?? []).every(({ name, data }) => texts.get(name) === data);
}

import type { ProfileSpec, Tuned } from "../api.ts";
import { profilesOf } from "../expected-profile.ts";

export interface ChainEntry {
  readonly profile: string;
  readonly file: string;
  /** The Tuneds that have its text; none where every node has it. */
  readonly tuneds: readonly string[];
  /** As it is written, with its line. */
  readonly include?: { readonly text: string; readonly line: number };
}

/** A profile that includes its own name stands there twice: first the one below, then the one that hides it. */
export function explainChain(names: readonly string[], spec: ProfileSpec, tuneds: readonly Tuned[]): ChainEntry[] {
  const { layers } = profilesOf(spec);
  const owners = (profile: string): string[] =>
    tuneds
      .filter((tuned) => tuned.spec?.profile?.some(({ name }) => name === profile))
      .map(({ metadata }) => metadata.name ?? "");
  return names.map((profile, at) => {
    const above = names.slice(at + 1).filter((other) => other === profile).length;
    const places = layers.filter((layer) => layer.has(profile));
    const layer = places.at(-1 - above);
    const text = layer?.get(profile);
    const main = text?.sections.find((section) => section.name === "main");
    const include = main?.options.find(({ key }) => key === "include");
    return {
      profile,
      file: text?.file ?? "",
      tuneds: layer === layers.at(-1) ? owners(profile) : [],
      ...(include ? { include: { text: include.value, line: include.line } } : {}),
    };
  });
}

import { type Include, mayInclude, splitUnexpanded } from "../../language/tuned/chain/include.ts";
import { parseProfile, type ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import type { ProfileText, Tuned } from "./api.ts";

/** What a node needs to apply a profile. */
export interface Needs {
  readonly texts: readonly ProfileText[];
  /** Names among them that are defined differently in several places. */
  readonly conflicts: readonly string[];
}

/** Every profile that the Tuneds of a cluster define, by name. */
export class ProfileTexts {
  readonly #texts = new Map<string, string>();
  readonly #owners = new Map<string, Set<string>>();
  readonly #conflicts = new Set<string>();
  readonly #onNode: ReadonlyMap<string, ParsedProfile>;
  readonly #needs = new Map<string, Needs>();

  /** `onNode`: profiles that every node has. A profile of a Tuned may hide or extend them. */
  constructor(tuneds: readonly Tuned[], onNode: ReadonlyMap<string, ParsedProfile> = baseProfiles()) {
    this.#onNode = onNode;
    for (const { metadata, spec } of tuneds) {
      for (const { name, data } of spec?.profile ?? []) {
        const known = this.#texts.get(name);
        if (known === undefined) this.#texts.set(name, data);
        else if (known !== data) this.#conflicts.add(name);
        const owners = this.#owners.get(name) ?? new Set();
        this.#owners.set(name, owners.add(metadata.name ?? ""));
      }
    }
  }

  /** Names that are defined differently, and the Tuneds that define them. */
  conflicts(): Map<string, ReadonlySet<string>> {
    return new Map([...this.#conflicts].toSorted().map((name) => [name, this.#owners.get(name) ?? new Set()]));
  }

  /** The profile and all that it may include. Computed once for all nodes with the same profile. */
  neededBy(profile: string): Needs {
    let needs = this.#needs.get(profile);
    if (!needs) {
      const names = this.#reachableFrom(profile);
      const texts = names.map((name) => ({ name, data: this.#texts.get(name) ?? "" }));
      needs = { texts, conflicts: names.filter((name) => this.#conflicts.has(name)) };
      this.#needs.set(profile, needs);
    }
    return needs;
  }

  #reachableFrom(profile: string): string[] {
    const seen = new Set<string>();
    const open = [profile];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      // The node may have a profile that is unknown here, and that may include any of these.
      if (!this.#texts.has(name) && !this.#onNode.has(name)) return [...this.#texts.keys()].toSorted();
      open.push(...this.#includedBy(name));
    }
    return [...seen].filter((name) => this.#texts.has(name)).toSorted();
  }

  #includedBy(name: string): string[] {
    const text = this.#texts.get(name);
    const ours = text === undefined ? [] : includesOf(parseProfile(text, name));
    const theirs = includesOf(this.#onNode.get(name));
    const known = [...this.#texts.keys(), ...this.#onNode.keys()];
    return [...ours, ...theirs].flatMap(({ name: include, optional }) => {
      if (include.includes("${")) return known.filter((other) => mayInclude(include, other));
      return optional && !known.includes(include) ? [] : [include];
    });
  }
}

function includesOf(profile: ParsedProfile | undefined): Include[] {
  const main = profile?.sections.find((section) => section.name === "main");
  const include = main?.options.find((option) => option.key === "include");
  return include ? splitUnexpanded(include.value) : [];
}

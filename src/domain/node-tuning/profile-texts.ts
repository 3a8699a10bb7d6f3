import { certainIncludes, type Include, mayInclude, splitUnexpanded } from "../../language/tuned/chain/include.ts";
import type { ProfileLayers } from "../../language/tuned/chain/load-chain.ts";
import { parseProfile, type ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import { chainProblems } from "../../language/tuned/resolve.ts";
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
  /** Profiles that every node has. A profile of a Tuned may hide or extend them. */
  readonly #onNode = baseProfiles();
  readonly #given: "all" | "some";
  readonly #needs = new Map<string, Needs>();
  readonly #parsed = new Map<string, ParsedProfile>();
  readonly #problems = new Map<string, readonly Problem[]>();
  readonly #anywhere: ReadonlySet<string>;

  /**
   * `given`: whether these are all Tuneds. Of some, no profile can be said not to exist. `onHosts`: profiles that any node
   * has in its own folders.
   */
  constructor(tuneds: readonly Tuned[], given: "all" | "some" = "all", onHosts: Iterable<string> = []) {
    this.#given = given;
    this.#anywhere = new Set(onHosts);
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

  /** The profiles as a node reads them: those of Tuneds hide those that every node has. */
  layers(): ProfileLayers {
    for (const name of this.#texts.keys()) this.#own(name);
    return [this.#onNode, this.#parsed];
  }

  /** Why no node can use a profile; with `onHost`, why a node with these profiles of its own cannot. Computed once. */
  problemsOf(profile: string, onHost: Iterable<string> = this.#anywhere): readonly Problem[] {
    if (this.#given === "some") return this.#own(profile)?.problems ?? [];
    const host = [...onHost];
    const key = JSON.stringify([profile, ...host]);
    const known = this.#problems.get(key);
    if (known) return known;
    const found = chainProblems({ profile, layers: [hostLayer(host), ...this.layers()] });
    this.#problems.set(key, found);
    return found;
  }

  /** The profile and all that it may include. Computed once for all nodes with the same profile. */
  neededBy(profile: string): Needs {
    let needs = this.#needs.get(profile);
    if (!needs) {
      // A profile that is unknown here may include any of these.
      const { known, unknown } = this.#reach(profile);
      const names = (unknown.length > 0 ? [...this.#texts.keys()] : known)
        .filter((name) => this.#texts.has(name))
        .toSorted();
      const texts = names.map((name) => ({ name, data: this.#texts.get(name) ?? "" }));
      needs = { texts, conflicts: names.filter((name) => this.#conflicts.has(name)) };
      this.#needs.set(profile, needs);
    }
    return needs;
  }

  /** The profile and all that it may include; undefined if it needs one that only its node can have. */
  reachableFrom(profile: string): string[] | undefined {
    const { known, unknown } = this.#reach(profile);
    return unknown.some(({ isCertain }) => isCertain) ? undefined : known;
  }

  #reach(profile: string): { known: string[]; unknown: Named[] } {
    const seen = new Set<string>();
    const unknown: Named[] = [];
    const open: Named[] = [{ name: profile, isCertain: true }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { name } = next;
      if (!this.#texts.has(name) && !this.#onNode.has(name)) unknown.push(next);
      else if (!seen.has(name)) open.push(...this.#includedBy(name));
      seen.add(name);
    }
    const missing = new Set(unknown.map(({ name }) => name));
    return { known: [...seen].filter((name) => !missing.has(name)), unknown };
  }

  #own(name: string): ParsedProfile | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    const parsed = this.#parsed.get(name) ?? parse(name, text);
    this.#parsed.set(name, parsed);
    return parsed;
  }

  #includedBy(name: string): Named[] {
    const includes = [...includesOf(this.#own(name)), ...includesOf(this.#onNode.get(name))];
    const known = [...this.#texts.keys(), ...this.#onNode.keys()];
    return includes.flatMap(({ name: include, optional, isCertain }) => {
      if (include.includes("${")) {
        const named = known.filter((other) => mayInclude(include, other));
        return named.map((other) => ({ name: other, isCertain: false }));
      }
      return optional && !known.includes(include) ? [] : [{ name: include, isCertain }];
    });
  }
}

interface Named {
  readonly name: string;
  /** Included whatever the node answers: not one of several that a function chooses from. */
  readonly isCertain: boolean;
}

/** Profiles of a node's own folders, whose texts are unknown here. */
export function hostLayer(names: Iterable<string>): ReadonlyMap<string, ParsedProfile> {
  return new Map(Array.from(names, (name) => [name, { file: "", sections: [], problems: [] }]));
}

/** The file in which a node has the profile. */
export function fileOf(profile: string): string {
  return `${profile}/tuned.conf`;
}

function parse(name: string, text: string): ParsedProfile {
  return parseProfile(text, fileOf(name));
}

function includesOf(profile: ParsedProfile | undefined): (Include & Named)[] {
  const main = profile?.sections.find((section) => section.name === "main");
  const include = main?.options.find((option) => option.key === "include");
  if (!include) return [];
  const certain = new Set(certainIncludes(include.value).map(({ name }) => name));
  return splitUnexpanded(include.value).map((one) => ({ ...one, isCertain: certain.has(one.name) }));
}

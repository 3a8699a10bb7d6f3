import { certainIncludes, type Include, mayInclude, splitUnexpanded } from "../../language/tuned/chain/include.ts";
import type { ProfileLayers } from "../../language/tuned/chain/load-chain.ts";
import { checkReferences, type Defined, variablesOf } from "../../language/tuned/check/check-references.ts";
import { checkSections, type SectionFinding, typedSections } from "../../language/tuned/check/check-sections.ts";
import { parseProfile, type ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import { type CertainChain, certainChain } from "../../language/tuned/resolve.ts";
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
  readonly #chains = new Map<string, CertainChain>();
  readonly #findings = new Map<string, readonly SectionFinding[]>();
  readonly #computed = new Map<string, unknown>();
  readonly #sections = new Map<ParsedProfile, readonly SectionFinding[]>();
  readonly #includes = new Map<string, readonly Named[]>();
  readonly #variables = new Map<string, Defined>();
  #typed: ReadonlySet<string> | undefined;
  #included: Includes | undefined;
  #contested: ReadonlyMap<string, readonly (readonly [profile: string, tuneds: readonly string[]])[]> | undefined;
  readonly #anywhere: ReadonlySet<string>;
  #earlier: ProfileTexts | undefined;

  /**
   * `given`: whether these are all Tuneds. Of some, no profile can be said not to exist. `onHosts`: profiles that any node
   * has in its own folders. `earlier`: texts that have not changed since are not read again.
   */
  constructor(
    tuneds: readonly Tuned[],
    given: "all" | "some" = "all",
    onHosts: Iterable<string> = [],
    earlier?: ProfileTexts,
  ) {
    this.#given = given;
    this.#anywhere = new Set(onHosts);
    this.#earlier = earlier;
    if (earlier) earlier.#earlier = undefined;
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

  /** What was computed from these texts, by a key of the caller: once, however often it is asked for. */
  once<T>(key: string, compute: () => T): T {
    if (!this.#computed.has(key)) this.#computed.set(key, compute());
    return this.#computed.get(key) as T;
  }

  /** Profiles of a Tuned that are defined differently, and the Tuneds that define them. */
  conflictsOf(tuned: string): readonly (readonly [profile: string, tuneds: readonly string[]])[] {
    this.#contested ??= this.#conflictsByTuned();
    return this.#contested.get(tuned) ?? [];
  }

  #conflictsByTuned(): Map<string, [profile: string, tuneds: readonly string[]][]> {
    const found = new Map<string, [string, readonly string[]][]>();
    for (const profile of [...this.#conflicts].toSorted()) {
      const owners = [...(this.#owners.get(profile) ?? [])].toSorted();
      for (const owner of owners) {
        const own = found.get(owner) ?? [];
        own.push([profile, owners]);
        found.set(owner, own);
      }
    }
    return found;
  }

  /**
   * Why no node should get a profile: it cannot be read, or something in it has no effect. With `onHost`, for a node with
   * these profiles of its own. Computed once.
   */
  problemsOf(profile: string, onHost: Iterable<string> = this.#anywhere): readonly Problem[] {
    const host = [...onHost];
    const key = JSON.stringify([profile, ...host]);
    const known = this.#problems.get(key);
    if (known) return known;
    const { problems, links } = onHost === this.#anywhere ? this.chainOf(profile) : this.#chain(profile, host);
    const found = problems.length > 0 ? problems : this.#mistakesIn(links, () => this.#variablesFor(profile));
    this.#problems.set(key, found);
    return found;
  }

  /** A profile of a Tuned and what it certainly includes; of some Tuneds, only itself. Computed once. */
  chainOf(profile: string): CertainChain {
    const found = this.#chains.get(profile) ?? this.#chain(profile, this.#anywhere);
    this.#chains.set(profile, found);
    return found;
  }

  #chain(profile: string, onHost: Iterable<string>): CertainChain {
    if (this.#given === "all") return certainChain({ profile, layers: [hostLayer(onHost), ...this.#layers()] });
    const own = this.#own(profile);
    return { links: own ? [{ name: profile, profile: own }] : [], problems: own?.problems ?? [], notices: [] };
  }

  /** What has no effect in the text of a profile, or hardly the one that was meant. Computed once. */
  findingsIn(profile: string): readonly SectionFinding[] {
    const found = this.#findings.get(profile) ?? this.#find(profile);
    this.#findings.set(profile, found);
    return found;
  }

  #find(profile: string): SectionFinding[] {
    const own = this.#own(profile);
    if (!own || own.problems.length > 0) return [];
    // A profile that others include may get its variables from them.
    return this.#check(own, () => (this.#isIncluded(profile) ? undefined : this.#variablesFor(profile)));
  }

  #mistakesIn(links: CertainChain["links"], variables: () => Defined): Problem[] {
    return links
      .filter(({ name, profile }) => this.#parsed.get(name) === profile)
      .flatMap(({ profile }) => this.#check(profile, variables))
      .filter(({ possible }) => !possible);
  }

  #check(own: ParsedProfile, variables: () => Defined): SectionFinding[] {
    const typed = this.#typedSections();
    const sections = this.#sections.get(own) ?? checkSections(own, typed);
    this.#sections.set(own, sections);
    return [...sections, ...checkReferences(own, variables)];
  }

  /** All texts are read now, so the earlier ones are no longer needed. */
  #typedSections(): ReadonlySet<string> {
    if (this.#typed) return this.#typed;
    const typed = new Set(this.#layers().flatMap((layer) => [...layer.values()].flatMap(typedSections)));
    const earlier = this.#earlier;
    const before = earlier ? earlier.#typed : undefined;
    if (earlier && before?.size === typed.size && [...typed].every((name) => before.has(name)))
      for (const own of this.#parsed.values()) {
        const sections = earlier.#sections.get(own);
        if (sections) this.#sections.set(own, sections);
      }
    this.#typed = typed;
    this.#earlier = undefined;
    return typed;
  }

  #isIncluded(profile: string): boolean {
    this.#included ??= this.#allIncludes();
    const { names, open } = this.#included;
    return names.has(profile) || open.some((name) => mayInclude(name, profile));
  }

  #allIncludes(): Includes {
    const all = [...this.#texts.keys()].flatMap((by) =>
      includesOf(this.#own(by)).flatMap(({ name }) => (name === by ? [] : [name])),
    );
    const isOpen = (name: string): boolean => name.includes("${");
    return { names: new Set(all.filter((name) => !isOpen(name))), open: [...new Set(all.filter(isOpen))] };
  }

  /** The variables that a profile has on its nodes; undefined if only a node can know them. */
  #variablesFor(profile: string): Defined {
    if (this.#variables.has(profile)) return this.#variables.get(profile);
    const found = this.#variablesReachedFrom(profile);
    this.#variables.set(profile, found);
    return found;
  }

  #variablesReachedFrom(profile: string): Defined {
    const reached = profile.split(/\s+/).map((name) => this.#reach(name));
    if (this.#given === "some" || reached.some(({ unknown }) => unknown.length > 0)) return undefined;
    const names = reached.flatMap(({ known }) => known);
    return variablesOf(this.#layers().flatMap((layer) => names.flatMap((name) => layer.get(name) ?? [])));
  }

  /** The profiles as a node reads them: those of Tuneds hide those that every node has. */
  #layers(): ProfileLayers {
    if (this.#parsed.size < this.#texts.size) for (const name of this.#texts.keys()) this.#own(name);
    return [this.#onNode, this.#parsed];
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
      else if (!seen.has(name)) open.push(...this.#includesOf(name));
      seen.add(name);
    }
    const missing = new Set(unknown.map(({ name }) => name));
    return { known: [...seen].filter((name) => !missing.has(name)), unknown };
  }

  #own(name: string): ParsedProfile | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    const earlier = this.#earlier;
    const unchanged = earlier && earlier.#texts.get(name) === text ? earlier.#parsed.get(name) : undefined;
    const parsed = this.#parsed.get(name) ?? unchanged ?? parse(name, text);
    this.#parsed.set(name, parsed);
    return parsed;
  }

  #includesOf(name: string): readonly Named[] {
    const known = this.#includes.get(name) ?? this.#includedBy(name);
    this.#includes.set(name, known);
    return known;
  }

  #includedBy(name: string): Named[] {
    const includes = [...includesOf(this.#own(name)), ...includesOf(this.#onNode.get(name))];
    return includes.flatMap(({ name: include, optional, isCertain }) => {
      if (include.includes("${")) {
        const named = [...this.#texts.keys(), ...this.#onNode.keys()].filter((other) => mayInclude(include, other));
        return named.map((other) => ({ name: other, isCertain: false }));
      }
      const isKnown = this.#texts.has(include) || this.#onNode.has(include);
      return optional && !isKnown ? [] : [{ name: include, isCertain }];
    });
  }
}

interface Includes {
  readonly names: ReadonlySet<string>;
  /** Those that only a node can expand. */
  readonly open: readonly string[];
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

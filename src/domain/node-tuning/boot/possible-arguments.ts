import { type Definitions, isUnbounded, templatesOf } from "../../../language/tuned/argument-template.ts";
import { splitArguments } from "../../../language/tuned/boot-arguments.ts";
import { isHarmless } from "../../../language/tuned/probe.ts";
import { placeOf, type Section, sectionOf, typeOf } from "../../../language/tuned/unit.ts";
import { unquote } from "../../../language/tuned/value.ts";
import type { ProfileSpec } from "../api.ts";
import { expectedProfile, profilesOf } from "../expected-profile.ts";
import { ProfileTexts } from "../profile-texts.ts";
import { type BootOption, matchesOptions, type ShapedText } from "./match-options.ts";

/** The boot arguments that nodes can truthfully report for a Profile. */
export type PossibleArguments =
  /** The node alone decides: it prints the names of arguments, or has profiles that are unknown here. */
  | { readonly type: "any" }
  /** Nothing depends on the node. */
  | { readonly type: "exactly"; readonly words: readonly string[] }
  /** The options of each bootloader section, of which a node applies one. */
  | { readonly type: "shaped"; readonly sections: readonly (readonly BootOption[])[] };

/** The kernel reads at most 4096 characters, on any architecture. */
const longestLine = 4096;

/** Blanks and tabs separate arguments. The kernel separates them at a byte that is part of some letters too: 0xA0. */
const printable = /^[\t -~]*$/;

export function isPossible(line: string, possible: PossibleArguments): boolean {
  if (line.length > longestLine || !printable.test(line)) return false;
  if (possible.type === "any") return true;
  const found = splitArguments(line).join(" ");
  if (possible.type === "exactly") return found === possible.words.join(" ");
  const words = found === "" ? [] : found.split(" ");
  return possible.sections.some((options) => matchesOptions(words, options));
}

/**
 * An attacker on one node can report anything, and the report reaches all nodes of the pool: it is bounded by what the
 * texts of the Profile can yield, whatever a node answers.
 */
export function possibleArguments(spec: ProfileSpec): PossibleArguments {
  const { tunedProfile } = spec.config;
  const texts = new ProfileTexts([{ apiVersion: "", kind: "", metadata: {}, spec: { profile: spec.profile } }]);
  const names = texts.reachableFrom(tunedProfile);
  if (!names) return { type: "any" };
  const expected = expectedProfile(spec);
  if (expected.type === "invalid") return { type: "exactly", words: [] };
  if (expected.unresolved.length === 0) return { type: "exactly", words: expected.profile.bootArguments };

  const { layers } = profilesOf(spec);
  // A profile may have the name of a built-in one, which it hides.
  const own = layers.findLast((layer) => layer.has(tunedProfile))?.get(tunedProfile);
  const sections = names.flatMap((name) =>
    layers.flatMap((layer) => {
      const profile = layer.get(name);
      const { file = "", sections = [] } = profile ?? {};
      return sections.map((section) => ({ isOwn: profile === own, section: sectionOf(section, file) }));
    }),
  );
  const definitions = definitionsIn(sections);
  const boot = sections.filter(({ section }) => typeOf(section) === "bootloader");
  if (boot.length === 0) return { type: "exactly", words: [] };
  const isOnly = new Set(boot.map(({ section }) => section.name)).size === 1 && boot.every(isUnconditional);
  const shapeOf = (value: string) => templatesOf(unquote(value.replace(/^[+\\-]/, "").trim()), definitions);
  const options = commandLines(boot);
  const values = options.flatMap((option) => option.values);
  const removed = new Set(values.filter(isRemoval).flatMap((value) => shapeOf(value)?.flat(2) ?? []));
  const shaped = new Map<string, BootOption[]>(boot.map(({ section }) => [section.name, []]));
  for (const { section, values, isOwn, file } of options) {
    const texts: ShapedText[] = [];
    const added = values.filter((value) => !isRemoval(value));
    for (const value of added) {
      const text = shapeOf(value);
      if (!text || text.flat(2).some(isUnbounded)) return { type: "any" };
      texts.push(text.map((each) => (each.flat().some((word) => removed.has(word)) ? [...each, []] : each)));
    }
    const isRequired = isOwn && isOnly && !added.some((value) => mayBeRefused(value, definitions));
    if (texts.length > 0) shaped.get(section)?.push({ texts, isRequired, file });
  }
  return { type: "shaped", sections: [...shaped.values()] };
}

function isRemoval(value: string): boolean {
  return value.startsWith("-");
}

/** Whether it depends on a program that an agent may refuse to run: the whole option is then left out. */
function mayBeRefused(value: string, definitions: Definitions): boolean {
  const seen = new Set<string>();
  const open = [value];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const harmful = text.replaceAll(/\$\{f:exec:([^${}]*)\}/g, (call, argv: string) =>
      isHarmless({ type: "exec", argv: argv.split(":") }) ? "" : call,
    );
    if (harmful.includes("${f:exec")) return true;
    for (const [, name = ""] of text.matchAll(/\$\{([\p{L}\p{N}_]+)\}/gu)) {
      if (!seen.has(name)) open.push(...definitions.of(name));
      seen.add(name);
    }
  }
  return false;
}

interface Origin {
  /** The section of the profile itself, not of one that it includes. */
  readonly isOwn: boolean;
  readonly section: Section;
}

/** The profile is merged last, so its own definition of a variable is the one that counts. */
function definitionsIn(sections: readonly Origin[]): Definitions {
  const variables = sections.filter(({ section }) => typeOf(section) === "variables");
  const ofOwn = variables.filter(({ isOwn }) => isOwn);
  const valuesIn = (origins: readonly Origin[], name: string): string[] =>
    origins.flatMap(({ section }) => section.options.get(name)?.value ?? []);
  return {
    of(name) {
      const own = valuesIn(ofOwn, name);
      const isFinal = own.length === 1 && !own[0]?.includes(`\${${name}}`);
      return isFinal ? own : valuesIn(variables, name);
    },
    incomplete: valuesIn(variables, "include").length > 0,
  };
}

interface CommandLine {
  readonly section: string;
  /** Those that may count: the profile's own overrides all others. */
  readonly values: readonly string[];
  readonly isOwn: boolean;
  /** Of the only definition. */
  readonly file: string | undefined;
}

/** Every `cmdline` option of bootloader sections, in the order of their first definitions. */
function commandLines(boot: readonly Origin[]): CommandLine[] {
  const found = new Map<string, CommandLine>();
  for (const { isOwn, section } of boot)
    for (const [key, setting] of section.options) {
      if (!key.startsWith("cmdline")) continue;
      const name = JSON.stringify([section.name, key]);
      const known = found.get(name);
      const { value } = setting;
      const { file } = placeOf(setting);
      if (!known) found.set(name, { section: section.name, values: [value], isOwn, file });
      else {
        const others = known.isOwn === isOwn ? [...known.values, value] : isOwn ? [value] : known.values;
        found.set(name, { ...known, values: others, isOwn: known.isOwn || isOwn, file: undefined });
      }
    }
  return [...found.values()];
}

function isUnconditional({ section: { attributes } }: Origin): boolean {
  return !["enabled", "uname_regex", "cpuinfo_regex", "drop"].some((name) => attributes.has(name));
}

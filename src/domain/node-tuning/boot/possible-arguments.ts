import {
  type Definitions,
  fits,
  isUnbounded,
  type Template,
  templatesOf,
} from "../../../language/tuned/argument-template.ts";
import { isHarmless } from "../../../language/tuned/probe.ts";
import { type Section, sectionOf, typeOf } from "../../../language/tuned/unit.ts";
import { unquote } from "../../../language/tuned/value.ts";
import type { ProfileSpec } from "../api.ts";
import { expectedProfile, profilesOf } from "../expected-profile.ts";
import { ProfileTexts } from "../profile-texts.ts";

/** The boot arguments that nodes can truthfully report for a Profile. */
export type PossibleArguments =
  /** The node alone decides: it prints the names of arguments, or has profiles that are unknown here. */
  | { readonly type: "any" }
  /** Nothing depends on the node. */
  | { readonly type: "exactly"; readonly words: readonly string[] }
  | {
      readonly type: "shaped";
      /** Of all profiles that may be included. */
      readonly allowed: readonly Template[];
      /** Of the profile itself, which no other overrides: one alternative of each must be there. */
      readonly required: readonly (readonly (readonly Template[])[])[];
    };

/** The kernel reads at most 4096 characters, on any architecture. */
const longestLine = 4096;

export function isPossible(line: string, possible: PossibleArguments): boolean {
  if (line.length > longestLine) return false;
  const words = line.split(/\s+/).filter((word) => word !== "");
  if (possible.type === "any") return true;
  if (possible.type === "exactly") return words.join(" ") === possible.words.join(" ");
  const { allowed, required } = possible;
  return (
    words.length <= allowed.length &&
    words.every((word) => allowed.some((template) => fits(template, word))) &&
    required.every((choice) =>
      choice.some((templates) => templates.every((template) => words.some((word) => fits(template, word)))),
    )
  );
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
  const isOnly = new Set(boot.map(({ section }) => section.name)).size === 1 && boot.every(isUnconditional);
  const allowed: Template[] = [];
  const required: Template[][][] = [];
  const ownBoot = boot.filter(({ isOwn }) => isOwn);
  for (const { isOwn, section } of boot) {
    const isOverridden = (key: string): boolean =>
      !isOwn && ownBoot.some((other) => other.section.name === section.name && other.section.options.has(key));
    const values = commandLines(section, isOverridden);
    const added = values.filter((value) => !value.startsWith("-"));
    for (const value of added) {
      const templates = templatesOf(unquote(value.replace(/^[+\\]/, "").trim()), definitions);
      if (!templates || templates.flat(2).some(isUnbounded)) return { type: "any" };
      allowed.push(...templates.flat(2));
      const isSure = isOwn && isOnly && added.length === values.length && !mayBeRefused(value, definitions);
      if (isSure) required.push(...templates);
    }
  }
  return { type: "shaped", allowed, required };
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

function commandLines({ options }: Section, isOverridden: (key: string) => boolean): string[] {
  const counted = [...options].filter(([key]) => key.startsWith("cmdline") && !isOverridden(key));
  return counted.map(([, { value }]) => value);
}

function isUnconditional({ section: { attributes } }: Origin): boolean {
  return !["enabled", "uname_regex", "cpuinfo_regex", "drop"].some((name) => attributes.has(name));
}

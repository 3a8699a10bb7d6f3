import { bootCommandLine } from "./boot-arguments.ts";
import { newBudget } from "./budget.ts";
import { expand, type ExpandContext } from "./expand.ts";
import { Findings } from "./findings.ts";
import { finishUnit } from "./finish-unit.ts";
import { type ChainLink, loadChain, type ProfileLayers } from "./chain/load-chain.ts";
import { mergeSection } from "./chain/merge.ts";
import { unquote } from "./value.ts";
import { type Answers, noAnswers, type Probe } from "./probe.ts";
import type { Notice, Problem } from "./problem.ts";
import { isSafeName } from "./chain/include.ts";
import { type Section, sectionOf, type Setting, typeOf, type Unit } from "./unit.ts";
import { defineVariables, mergeVariables } from "./variables.ts";

export interface Profiles {
  /** One profile, or several separated by blanks, of which a later one wins. */
  readonly profile: string;
  readonly layers: ProfileLayers;
  /** Files of variables that come with the profiles, by path; the node's own take precedence. */
  readonly files?: ReadonlyMap<string, string>;
}

export interface ResolvedProfile {
  readonly profile: string;
  /** Every profile that was merged, in order. */
  readonly chain: readonly string[];
  /** For each of the chain: those of the chain that it includes. */
  readonly includes: readonly (readonly string[])[];
  /** Options of `[main]`, without `include`. */
  readonly main: ReadonlyMap<string, string>;
  readonly variables: ReadonlyMap<string, string>;
  /** In the order in which they are applied. */
  readonly units: readonly Unit[];
  /** Names of the units in the order of their first appearance. */
  readonly sections: readonly string[];
  /** Kernel arguments, repeated ones included. */
  readonly bootArguments: readonly string[];
  readonly warnings: readonly Notice[];
  /** Messages of the function `log`. */
  readonly logged: readonly string[];
}

export type Resolution =
  | { type: "resolved"; profile: ResolvedProfile }
  /** Resolve again with these answered; the answers may raise further questions. */
  | { type: "needs"; probes: Probe[] }
  | { type: "invalid"; problems: Problem[] };

/** Merges includes and expands variables and functions; each option keeps the file and line that set it. */
export function resolve(profiles: Profiles, answers: Answers): Resolution {
  const worked = work(profiles, answers);
  if (worked.type === "invalid") return worked;
  const { profile, first, unresolved, problems } = worked;
  if (first.length > 0) return { type: "needs", probes: first };
  if (problems.length > 0) return { type: "invalid", problems };
  return unresolved.length > 0 ? { type: "needs", probes: unresolved } : { type: "resolved", profile };
}

/** A profile and all that it includes on every node. */
export interface CertainChain {
  readonly links: readonly Pick<ChainLink, "name" | "profile">[];
  /** Why no node can use it: one of them does not exist or cannot be read. */
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
}

export function certainChain({ profile, layers }: Profiles): CertainChain {
  const findings = new Findings();
  const context = { answers: noAnswers, budget: newBudget(), variables: new Map() };
  const links = loadChain(requestedNames(profile, findings), layers, context, findings);
  return { links, problems: findings.problems, notices: findings.notices };
}

export type Preview =
  /** Calls that only the node can answer stay as they are written. */
  { type: "preview"; profile: ResolvedProfile; unresolved: Probe[] } | { type: "invalid"; problems: Problem[] };

/** Resolves as far as possible without asking the node. */
export function preview(profiles: Profiles, answers: Answers): Preview {
  const worked = work(profiles, answers);
  if (worked.type === "invalid") return worked;
  const { profile, unresolved, problems } = worked;
  return problems.length > 0 ? { type: "invalid", problems } : { type: "preview", profile, unresolved };
}

interface Worked {
  type: "worked";
  profile: ResolvedProfile;
  /** Questions to ask before all others: their answers decide which others arise. */
  first: Probe[];
  unresolved: Probe[];
  problems: Problem[];
}

function work(
  { profile, layers, files = new Map() }: Profiles,
  answers: Answers,
): Worked | { type: "invalid"; problems: Problem[] } {
  const findings = new Findings();
  const known = { answers, budget: newBudget() };
  const requested = requestedNames(profile, findings);
  const links = loadChain(requested, layers, { ...known, variables: new Map() }, findings);
  if (findings.problems.length > 0) return { type: "invalid", problems: findings.problems };
  const openIncludes = findings.probes();

  const merged = mergeChain(links);
  const outset = { ...known, incomplete: openIncludes.length > 0 };
  const { variables, refused, unread } = defineVariables(
    { settings: merged.variables, context: outset, files },
    findings,
  );
  findings.ask(unread);

  const context = { ...known, variables, incomplete: outset.incomplete || unread.length > 0 };
  const units = [...merged.sections.values()]
    .map((section) => finishUnit(section, context, findings))
    .toSorted((a, b) => a.priority - b.priority);
  const bootArguments = bootArgumentsOf(units, context, findings);
  const chain = links.map((link) => link.name);
  return {
    type: "worked",
    first: openIncludes.length > 0 ? openIncludes : [...unread],
    unresolved: findings.probes(),
    problems: findings.problems,
    profile: {
      profile: requested.join(" "),
      chain,
      includes: links.map(({ includes }) => includes.filter((name) => chain.includes(name))),
      main: merged.main,
      variables: refused.size === 0 ? variables : new Map([...variables].filter(([name]) => !refused.has(name))),
      units,
      sections: [...merged.sections.keys()],
      bootArguments,
      warnings: findings.notices.filter(({ level }) => level !== "info"),
      logged: findings.notices.flatMap(({ level, message }) => (level === "info" ? [message] : [])),
    },
  };
}

/** TuneD ignores names with other characters. */
function requestedNames(profile: string, findings: Findings): string[] {
  const names = profile.split(/\s+/).filter((name) => name !== "");
  const safe = names.filter(isSafeName);
  for (const name of names)
    if (!safe.includes(name))
      findings.notice({ level: "warning", message: `${JSON.stringify(name)} is not a name of a profile: ignored` });
  if (safe.length === 0) findings.problem({ message: "No profile or invalid profiles were specified." });
  return safe;
}

export interface MergedChain {
  readonly main: ReadonlyMap<string, string>;
  readonly sections: ReadonlyMap<string, Section>;
  readonly variables: ReadonlyMap<string, Setting>;
}

export function mergeChain(links: readonly ChainLink[]): MergedChain {
  const main = new Map<string, string>();
  const sections = new Map<string, Section>();
  let variables = new Map<string, Setting>();
  for (const { profile } of links) {
    for (const parsed of profile.sections) {
      if (parsed.name === "main") {
        for (const { key, value } of parsed.options) if (key !== "include") main.set(key, value);
        continue;
      }
      const section = sectionOf(parsed, profile.file);
      if (typeOf(section) === "variables") variables = mergeVariables(variables, section);
      else sections.set(section.name, mergeSection(sections.get(section.name), section));
    }
  }
  return { main, sections, variables };
}

/** Of several bootloader units the last one's arguments remain, as TuneD stores them in one place. */
function bootArgumentsOf(units: readonly Unit[], context: ExpandContext, findings: Findings): string[] {
  const unit = units.findLast(({ type, enabled, unmet }) => type === "bootloader" && enabled && unmet === undefined);
  if (!unit) return [];
  // Notices about its options were recorded when they were expanded one by one.
  const { text, problems } = expand(unquote(bootCommandLine(unit.options)), context);
  for (const message of problems) findings.problem({ message: `[${unit.name}] ${message}` });
  return text.split(/\s+/).filter((word) => word !== "");
}

import { expand, type ExpandContext } from "../expand.ts";
import type { Findings } from "../findings.ts";
import { certainIncludes, type Include, parseIncludes } from "./include.ts";
import type { ParsedProfile } from "../text/parse-profile.ts";
import type { Problem } from "../problem.ts";
import { formerNames } from "../profiles/former-names.ts";

/** TuneD's search directories: a later layer takes precedence. */
export type ProfileLayers = readonly ReadonlyMap<string, ParsedProfile>[];

export interface ChainLink {
  readonly name: string;
  readonly profile: ParsedProfile;
  /** Names that it includes, whether they exist or not. */
  readonly includes: readonly string[];
}

export interface LoadContext extends ExpandContext {
  /** Decides what an include text names, in place of the node's answers. */
  readonly chooseIncludes?: ((text: string) => readonly Include[]) | undefined;
}

const deepest = 100;
const mostProfiles = 1000;

/** Collects profiles and everything they include, ancestors first: the order in which they are merged. */
export function loadChain(
  requested: readonly string[],
  layers: ProfileLayers,
  context: LoadContext,
  findings: Findings,
): ChainLink[] {
  const links: ChainLink[] = [];
  /** Profiles whose includes are being read, outermost first, with the layer each was found in. */
  const open: { name: string; layer: number }[] = [];
  const read = new Set<string>();
  /** Names that a cycle was reported for. Profiles that all include each other have as many cycles as includes. */
  const circular = new Set<string>();

  function load(name: string, optional: boolean, by: Omit<Problem, "message">): void {
    // A profile may include its own name to extend the one it hides: the search goes on in lower layers.
    const hiding = open.findLast((other) => other.name === name);
    if (!hiding && read.has(name)) return;
    const layer = layers.findLastIndex((layer, index) => layer.has(name) && (!hiding || index < hiding.layer));
    const profile = layers[layer]?.get(name);
    if (!profile) {
      if (hiding) reportCycle(name, by);
      else if (!optional) findings.problem({ ...by, message: missing(name) });
    } else if (open.length >= deepest)
      findings.problem({ ...by, message: `includes are nested more than ${deepest} deep` });
    else if (links.length + open.length >= mostProfiles)
      findings.problem({ ...by, message: `more than ${mostProfiles} profiles are included` });
    else {
      read.add(name);
      for (const problem of profile.problems) findings.problem(problem);
      open.push({ name, layer });
      const includes = loadIncludes(profile);
      open.pop();
      links.push({ name, profile, includes });
    }
  }

  function reportCycle(name: string, by: Omit<Problem, "message">): void {
    if (circular.has(name)) return;
    circular.add(name);
    const cycle = [...open.slice(open.findIndex((other) => other.name === name)).map((other) => other.name), name];
    findings.notice({
      ...by,
      level: "warning",
      message: `circular include ${cycle.join(" → ")}: repeated include ignored`,
    });
  }

  function loadIncludes(profile: ParsedProfile): string[] {
    const main = profile.sections.find((section) => section.name === "main");
    const include = main?.options.find((option) => option.key === "include");
    if (!include) return [];
    const by = { file: profile.file, line: include.line };
    const includes = context.chooseIncludes?.(include.value) ?? answeredIncludes(include.value, by);
    for (const { name, optional } of includes) load(name, optional, by);
    return includes.map(({ name }) => name);
  }

  function answeredIncludes(value: string, by: Omit<Problem, "message">): Include[] {
    const expansion = expand(value, context);
    const text = findings.take(expansion, by);
    if (expansion.refused !== undefined) findings.refuse("include: not complete", expansion.refused, by);
    // Entries that depend on the node's answers are left out until it has answered.
    const isComplete = expansion.probes.length === 0 && expansion.refused === undefined;
    return isComplete ? parseIncludes(text) : certainIncludes(text);
  }

  for (const name of requested) load(name, false, {});
  return links;
}

function missing(name: string): string {
  const now = formerNames.get(name);
  const message = `profile ${JSON.stringify(name)} does not exist`;
  return now === undefined ? message : `${message}: it is a former name; include ${JSON.stringify(now)} instead`;
}

import { expand, type ExpandContext } from "./expand.ts";
import { parseIncludes } from "./include.ts";
import type { ParsedProfile } from "./parse-profile.ts";
import type { Probe } from "./probe.ts";
import type { Problem } from "./problem.ts";

/** Where profiles are found: the later a layer, the higher its precedence. TuneD's search directories. */
export type ProfileLayers = readonly ReadonlyMap<string, ParsedProfile>[];

export interface ChainLink {
  readonly name: string;
  readonly profile: ParsedProfile;
}

export type Chain =
  | { type: "loaded"; links: ChainLink[]; warnings: Problem[] }
  | { type: "needs"; probes: Probe[] }
  | { type: "invalid"; problems: Problem[] };

const deepest = 100;

/** Collects a profile and everything it includes, ancestors first: the order in which they are merged. */
export function loadChain(requested: string, layers: ProfileLayers, context: ExpandContext): Chain {
  const links: ChainLink[] = [];
  const warnings: Problem[] = [];
  const problems: Problem[] = [];
  const probes: Probe[] = [];
  /** Profiles being read, outermost first, with the layer each was found in. */
  const open: { name: string; layer: number }[] = [];
  const read = new Set<string>();

  function load(name: string, optional: boolean, by: Problem): void {
    // A profile may include its own name to extend the one it hides: the search goes on below it.
    const hiding = open.findLast((other) => other.name === name);
    if (!hiding && read.has(name)) return;
    const layer = layers.findLastIndex((layer, index) => layer.has(name) && (!hiding || index < hiding.layer));
    const profile = layers[layer]?.get(name);
    if (!profile) {
      if (hiding) {
        const cycle = [...open.slice(open.findIndex((other) => other.name === name)).map((other) => other.name), name];
        warnings.push({ ...by, message: `include cycle ${cycle.join(" → ")}: read once` });
      } else if (!optional) problems.push({ ...by, message: `profile ${JSON.stringify(name)} does not exist` });
      return;
    }
    if (open.length >= deepest) {
      problems.push({ ...by, message: `more than ${deepest} profiles include one another` });
      return;
    }
    read.add(name);
    problems.push(...profile.problems);
    open.push({ name, layer });
    loadIncludes(profile);
    open.pop();
    links.push({ name, profile });
  }

  function loadIncludes(profile: ParsedProfile): void {
    const main = profile.sections.find((section) => section.name === "main");
    const include = main?.options.find((option) => option.key === "include");
    if (!include) return;
    const by: Problem = { message: "", file: profile.file, line: include.line };
    const expanded = expand(include.value, context);
    if (expanded.type === "needs") probes.push(expanded.probe);
    else if (expanded.type === "invalid") problems.push({ ...by, message: expanded.message });
    else for (const { name, optional } of parseIncludes(expanded.text)) load(name, optional, by);
  }

  load(requested, false, { message: "" });
  if (problems.length > 0) return { type: "invalid", problems };
  if (probes.length > 0) return { type: "needs", probes };
  return { type: "loaded", links, warnings };
}

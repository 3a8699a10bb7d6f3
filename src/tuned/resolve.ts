import { expand, type ExpandContext } from "./expand.ts";
import { type ChainLink, loadChain, type ProfileLayers } from "./load-chain.ts";
import { mergeUnit } from "./merge.ts";
import { type Answers, type Probe, probeKey } from "./probe.ts";
import type { Problem } from "./problem.ts";
import { type Setting, type Unit, unitOf } from "./unit.ts";

export interface Profiles {
  /** The profile that is wanted. */
  readonly profile: string;
  readonly layers: ProfileLayers;
}

export interface ResolvedProfile {
  readonly profile: string;
  /** Every profile that took part, in the order they were merged. */
  readonly chain: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
  /** In the order in which they are applied. */
  readonly units: readonly Unit[];
  readonly warnings: readonly Problem[];
}

export type Resolution =
  | { type: "resolved"; profile: ResolvedProfile }
  /** Ask again with these answered; the answers may raise further questions. */
  | { type: "needs"; probes: Probe[] }
  | { type: "invalid"; problems: Problem[] };

/** What a profile comes to: includes merged, variables and functions expanded, each option knowing who set it. */
export function resolve({ profile, layers }: Profiles, answers: Answers): Resolution {
  const chain = loadChain(profile, layers, { variables: new Map(), answers });
  if (chain.type !== "loaded") return chain;

  const findings: Findings = { problems: [], probes: new Map(), warnings: [...chain.warnings] };
  const merged = mergeAll(chain.links, findings);
  const variables = defineVariables(merged.get("variables"), answers, findings);
  merged.delete("variables");
  const units = [...merged.values()]
    .map((unit) => expandUnit(unit, { variables, answers }, findings))
    .toSorted((a, b) => a.priority - b.priority);

  if (findings.problems.length > 0) return { type: "invalid", problems: findings.problems };
  if (findings.probes.size > 0) return { type: "needs", probes: [...findings.probes.values()] };
  const names = chain.links.map((link) => link.name);
  return { type: "resolved", profile: { profile, chain: names, variables, units, warnings: findings.warnings } };
}

interface Findings {
  problems: Problem[];
  probes: Map<string, Probe>;
  warnings: Problem[];
}

function mergeAll(links: readonly ChainLink[], { problems }: Findings): Map<string, Unit> {
  const units = new Map<string, Unit>();
  for (const { profile } of links) {
    for (const section of profile.sections) {
      if (section.name === "main") continue;
      units.set(section.name, mergeUnit(units.get(section.name), unitOf(section, profile.file, problems)));
    }
  }
  for (const unit of units.values())
    if (unit.type === "variables" && unit.name !== "variables")
      problems.push({ message: `[${unit.name}] type=variables is supported only for the section [variables]` });
  return units;
}

/** In order: a value sees only what was defined before it. */
function defineVariables(unit: Unit | undefined, answers: Answers, findings: Findings): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [name, setting] of unit?.options ?? []) {
    if (name === "include")
      findings.problems.push({ ...placeOf(setting), message: "a file of variables is not supported" });
    else if (!/^\w+$/.test(name))
      findings.warnings.push({
        ...placeOf(setting),
        message: `variable ${JSON.stringify(name)} is ignored: its name may have only letters, digits and _`,
      });
    else variables.set(name, expandSetting(setting, { variables, answers }, findings).value);
  }
  return variables;
}

function expandUnit(unit: Unit, context: ExpandContext, findings: Findings): Unit {
  const options = new Map<string, Setting>();
  for (const [key, setting] of unit.options) options.set(key, expandSetting(setting, context, findings));
  return { ...unit, options };
}

function expandSetting(setting: Setting, context: ExpandContext, findings: Findings): Setting {
  const expanded = expand(setting.value, context);
  if (expanded.type === "text") return expanded.text === setting.value ? setting : { ...setting, value: expanded.text };
  if (expanded.type === "needs") findings.probes.set(probeKey(expanded.probe), expanded.probe);
  else findings.problems.push({ ...placeOf(setting), message: expanded.message });
  return setting;
}

function placeOf({ from }: Setting): { file: string; line: number } {
  const colon = from.lastIndexOf(":");
  return { file: from.slice(0, colon), line: Number(from.slice(colon + 1)) };
}

import type { Probe } from "../tuned/probe.ts";
import { formatProblem } from "../tuned/problem.ts";
import { type Deferred, deferredAnnotation, type Profile } from "./api.ts";
import { inputsOf } from "./inputs.ts";
import { type OptionChange, optionChanges, type SettingChange, settingChanges } from "./setting-changes.ts";
import type { Foretell, Settled } from "./settle.ts";

/** Nodes for which a change does the same. */
export interface NodeChange {
  readonly nodes: readonly string[];
  /** Names of profiles. Absent: none. */
  readonly before?: string;
  readonly after?: string;
  readonly settings: readonly SettingChange[];
  readonly options: readonly OptionChange[];
  /** The change waits for the next restart of the node. */
  readonly deferred?: Deferred;
  /** What only the nodes could answer. */
  readonly unresolved: readonly Probe[];
  /** Why they could not apply it. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Nodes whose Profiles change, those with the same change together; the largest groups first. */
export function nodeChanges(before: Settled, after: Settled, foretell: Foretell): NodeChange[] {
  const groups = new Map<string, { old?: Profile; fresh?: Profile; nodes: string[] }>();
  for (const name of new Set([...before.profiles.keys(), ...after.profiles.keys()])) {
    const old = before.profiles.get(name);
    const fresh = after.profiles.get(name);
    const was = fingerprint(old);
    const will = fingerprint(fresh);
    if (was === will) continue;
    const sides = JSON.stringify([was, will]);
    const group = groups.get(sides);
    if (group) group.nodes.push(name);
    else groups.set(sides, { ...(old ? { old } : {}), ...(fresh ? { fresh } : {}), nodes: [name] });
  }
  return [...groups.values()]
    .map((group) => changeOf(group, foretell))
    .toSorted((a, b) => b.nodes.length - a.nodes.length || ((a.nodes[0] ?? "") < (b.nodes[0] ?? "") ? -1 : 1));
}

function changeOf(
  { old, fresh, nodes }: { old?: Profile; fresh?: Profile; nodes: string[] },
  foretell: Foretell,
): NodeChange {
  const was = old && foretell(old.spec);
  const will = fresh && foretell(fresh.spec);
  const deferred = deferredOf(fresh);
  const isInvalid = will?.type === "invalid";
  return {
    nodes: nodes.toSorted(),
    ...(old ? { before: old.spec.config.tunedProfile } : {}),
    ...(fresh ? { after: fresh.spec.config.tunedProfile } : {}),
    // What cannot be applied changes nothing.
    settings: isInvalid ? [] : settingChanges(was, will),
    options: optionChanges(old?.spec, fresh?.spec),
    ...(deferred ? { deferred } : {}),
    unresolved: will?.type === "resolved" ? will.unresolved : [],
    problems: isInvalid ? will.problems.map(formatProblem) : [],
    warnings: will?.type === "resolved" ? will.profile.warnings.map(formatProblem) : [],
  };
}

function fingerprint(profile: Profile | undefined): string {
  if (!profile) return "";
  const { debug = false, verbosity = 0, tunedConfig = {} } = profile.spec.config;
  return JSON.stringify([inputsOf(profile.spec), debug, verbosity, tunedConfig, deferredOf(profile)]);
}

function deferredOf(profile: Profile | undefined): Deferred | undefined {
  const word = profile?.metadata.annotations?.[deferredAnnotation];
  return word === "always" || word === "update" ? word : undefined;
}

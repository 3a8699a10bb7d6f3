import type { Probe } from "../../language/tuned/probe.ts";
import { formatProblem } from "../../language/tuned/problem.ts";
import { type Deferred, deferredOf, type Profile } from "../node-tuning/api.ts";
import type { Expected } from "../node-tuning/expected-profile.ts";
import { inputsOf } from "../node-tuning/node-profile.ts";
import { type OptionChange, optionChanges, type SettingChange, settingChanges } from "./setting-changes.ts";
import type { Resolve, Settled } from "./settle.ts";

/** Nodes to which a change does the same. */
export interface NodeChange {
  readonly nodes: readonly string[];
  /** Names of profiles. Absent: none. */
  readonly before?: string;
  readonly after?: string;
  readonly settings: readonly SettingChange[];
  readonly options: readonly OptionChange[];
  /** The change waits for the next restart of the node. */
  readonly deferred?: Deferred;
  /** Values that depend on files or commands of the node, which the cluster does not know. */
  readonly unresolved: readonly Probe[];
  /** Why the agents could not apply it. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** What Profiles resolve to before and after a change. */
export interface ResolveSides {
  readonly before: Resolve;
  readonly after: Resolve;
}

/** One side of a change, on one node. */
interface Side {
  readonly profile: Profile;
  readonly expected: Expected;
}

/** Nodes whose Profiles change, or what these resolve to, in groups of the same change, the largest first. */
export function nodeChanges(before: Settled, after: Settled, resolve: ResolveSides): NodeChange[] {
  const groups = new Map<string, { readonly change: Omit<NodeChange, "nodes">; readonly nodes: string[] }>();
  const ids = new Map<Expected | undefined, number>();
  const idOf = (expected: Expected | undefined): number => {
    const id = ids.get(expected) ?? ids.size;
    ids.set(expected, id);
    return id;
  };
  for (const name of new Set([...before.profiles.keys(), ...after.profiles.keys()])) {
    const sides = [before.profiles.get(name), after.profiles.get(name)] as const;
    const [was, will] = sides.map(fingerprint);
    const isSame = was === will;
    if (isSame && resolve.before === resolve.after) continue;
    const old = sideOf(sides[0], name, resolve.before);
    const fresh = sideOf(sides[1], name, resolve.after);
    const alike = JSON.stringify([was, will, idOf(old?.expected), idOf(fresh?.expected)]);
    const group = groups.get(alike) ?? { change: changeOf(old, fresh), nodes: [] };
    groups.set(alike, group);
    if (!isSame || group.change.settings.length > 0) group.nodes.push(name);
  }
  const changes = Array.from(groups.values(), ({ change, nodes }) => ({ ...change, nodes }));
  return mergedAlike(changes.filter(({ nodes }) => nodes.length > 0))
    .map((change) => ({ ...change, nodes: change.nodes.toSorted() }))
    .toSorted((a, b) => b.nodes.length - a.nodes.length || ((a.nodes[0] ?? "") < (b.nodes[0] ?? "") ? -1 : 1));
}

function sideOf(profile: Profile | undefined, node: string, resolve: Resolve): Side | undefined {
  return profile && { profile, expected: resolve(profile.spec, node) };
}

/** Nodes with different hardware may still change in the same way. */
function mergedAlike(changes: readonly NodeChange[]): NodeChange[] {
  const merged = new Map<string, NodeChange>();
  for (const change of changes) {
    const content = JSON.stringify({ ...change, nodes: [] });
    const same = merged.get(content);
    merged.set(content, same ? { ...change, nodes: [...same.nodes, ...change.nodes] } : change);
  }
  return [...merged.values()];
}

function changeOf(old: Side | undefined, fresh: Side | undefined): Omit<NodeChange, "nodes"> {
  const will = fresh?.expected;
  const deferred = fresh && deferredOf(fresh.profile);
  const isInvalid = will?.type === "invalid";
  return {
    ...(old ? { before: old.profile.spec.config.tunedProfile } : {}),
    ...(fresh ? { after: fresh.profile.spec.config.tunedProfile } : {}),
    // A profile that does not resolve changes nothing.
    settings: isInvalid ? [] : settingChanges(old?.expected, will),
    options: optionChanges(old?.profile.spec, fresh?.profile.spec),
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

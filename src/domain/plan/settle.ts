import { type Answers, noAnswers } from "../../language/tuned/probe.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Plan } from "../../language/object/plan.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { bootArgumentsAnnotation, type Profile, type ProfileSpec } from "../node-tuning/api.ts";
import { carries } from "../node-tuning/carries.ts";
import { decideNodeTuning, type NodeTuningInput } from "../node-tuning/decide.ts";
import { type Expected, expectedProfile } from "../node-tuning/expected-profile.ts";
import { inputsOf } from "../node-tuning/inputs.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";

/** A cluster some time from now: operator and nodes have done what there was to do. */
export interface Settled {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly machineConfigs: ReadonlyMap<string, MachineConfig>;
  readonly statuses: Plan["statuses"];
}

/** What a node would answer, as far as that is known without asking it. Nodes that are alike share one. */
export type KnownOf = (node: string) => Answers;

/** What a Profile comes to on a node; worked out once for nodes that are alike, for many have the same. */
export type Foretell = (spec: ProfileSpec, node: string) => Expected;

export function foreteller(knownOf: KnownOf = () => noAnswers): Foretell {
  const foretold = new Map<Answers, Map<string, Expected>>();
  return (spec, node) => {
    const known = knownOf(node);
    const alike = foretold.get(known) ?? new Map<string, Expected>();
    foretold.set(known, alike);
    const inputs = inputsOf(spec);
    const expected = alike.get(inputs) ?? expectedProfile(spec, known);
    alike.set(inputs, expected);
    return expected;
  };
}

/**
 * The same decision as the operator's, twice: first what Profiles nodes get, then, once they have reported what their
 * profiles want of the boot loader, what pools agree on.
 */
export function settle(input: NodeTuningInput, foretell: Foretell): Settled {
  const profiles = carriedOut(decideNodeTuning(input), "Profile", input.profiles);
  const nodes = new Map(input.nodes.map((node) => [node.metadata.name ?? "", node]));
  const observed = new Map(input.profiles.map((profile) => [profile.metadata.name ?? "", profile]));
  const told = new Map<string, string>();
  const lines = Array.from(profiles, ([name, { spec }]) => {
    const line = reportedLine(spec, observed.get(name), nodes.get(name));
    if (line !== undefined) told.set(inputsOf(spec), line);
    return line;
  });
  const reported = Array.from(profiles.values(), (profile, at) => {
    const inputs = inputsOf(profile.spec);
    // What a node says of its own profile is worth more than what another says of the same, and that more than a guess.
    const line = lines[at] ?? told.get(inputs) ?? foretoldLine(foretell(profile.spec, profile.metadata.name ?? ""));
    return withReport(profile, observed.get(profile.metadata.name ?? ""), inputs, line);
  });
  const plan = decideNodeTuning({ ...input, profiles: reported, protocol: "documented" });
  return {
    profiles,
    machineConfigs: carriedOut(plan, "MachineConfig", input.machineConfigs ?? []),
    statuses: plan.statuses,
  };
}

/** The objects of a kind after a plan, by name. */
function carriedOut<T extends KubeObject>(plan: Plan, kind: string, observed: readonly T[]): Map<string, T> {
  const objects = new Map(observed.map((object) => [object.metadata.name ?? "", object]));
  for (const { object } of plan.objects) if (object.kind === kind) objects.set(object.metadata.name ?? "", object as T);
  for (const { kind: pruned, metadata } of plan.prunes) if (pruned === kind) objects.delete(metadata.name ?? "");
  return objects;
}

/** A profile that makes no sense has no boot arguments and is never applied: the node stays as it is. */
function withReport(
  profile: Profile,
  observed: Profile | undefined,
  bootcmdlineInputs: string,
  bootcmdline: string | undefined,
): Profile {
  if (bootcmdline === undefined) return observed?.status ? { ...profile, status: observed.status } : profile;
  const { tunedProfile } = profile.spec.config;
  const applied = { type: "Applied", status: "True", reason: "AsExpected", message: "" } as const;
  return { ...profile, status: { tunedProfile, bootcmdline, bootcmdlineInputs, conditions: [applied] } };
}

function reportedLine(
  wanted: ProfileSpec,
  observed: Profile | undefined,
  node: NodeFacts | undefined,
): string | undefined {
  const { status } = observed ?? {};
  if (status?.bootcmdlineInputs === inputsOf(wanted)) return status.bootcmdline ?? "";
  const line = node?.metadata.annotations?.[bootArgumentsAnnotation];
  return line !== undefined && observed && carries(observed.spec, wanted) ? line : undefined;
}

function foretoldLine(expected: Expected): string | undefined {
  return expected.type === "resolved" ? expected.profile.bootArguments.join(" ") : undefined;
}

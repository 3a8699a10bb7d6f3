import { type Answers, noAnswers } from "../../language/tuned/probe.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Plan } from "../../language/object/plan.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { bootArgumentsAnnotation, type Profile, type ProfileSpec } from "../node-tuning/api.ts";
import type { BootDecision } from "../node-tuning/boot/boot-decision.ts";
import { trusted } from "../node-tuning/boot/boot-arguments.ts";
import { carries, inputsOf, type NodeFacts } from "../node-tuning/node-profile.ts";
import { decideNodeTuning, type NodeTuningInput } from "../node-tuning/decide.ts";
import { type Expected, expectedProfile } from "../node-tuning/expected-profile.ts";
import type { AnswersOf } from "../node-tuning/known-nodes.ts";

/** A cluster once the operator and the agents have nothing left to do. */
export interface Settled {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly machineConfigs: ReadonlyMap<string, MachineConfig>;
  readonly statuses: Plan["statuses"];
  /** About boot arguments, before nodes have reported theirs. */
  readonly boot: BootDecision;
  /** On which boot arguments the nodes of each pool agree, once they have reported. */
  readonly agreed: BootDecision["pools"];
}

/** What a Profile resolves to on a node. */
export type Resolve = (spec: ProfileSpec, node: string) => Expected;

/** Resolves a Profile once for all nodes that have the same answers and the same profiles of their own. */
export function resolver(
  answersOf: AnswersOf = () => noAnswers,
  hostProfilesOf: (node: string) => readonly string[] = () => [],
): Resolve {
  const resolved = new Map<Answers, Map<string, Expected>>();
  return (spec, node) => {
    const answers = answersOf(node);
    const byInputs = resolved.get(answers) ?? new Map<string, Expected>();
    resolved.set(answers, byInputs);
    const onHost = hostProfilesOf(node);
    const inputs = JSON.stringify([inputsOf(spec), ...onHost]);
    const expected = byInputs.get(inputs) ?? expectedProfile(spec, answers, onHost);
    byInputs.set(inputs, expected);
    return expected;
  };
}

/**
 * Makes the operator's decision twice: the first gives nodes their Profiles, the second, with the boot arguments that
 * nodes report for those, gives pools their MachineConfigs.
 */
export function settle(input: NodeTuningInput, resolve: Resolve): Settled {
  const first = decideNodeTuning(input);
  const profiles = carriedOut(first, "Profile", input.profiles);
  const nodes = new Map(input.nodes.map((node) => [node.metadata.name ?? "", node]));
  const observed = new Map(input.profiles.map((profile) => [profile.metadata.name ?? "", profile]));
  const lineByInputs = new Map<string, string>();
  const lines = Array.from(profiles, ([name, { spec }]) => {
    const line = reportedLine(spec, observed.get(name), nodes.get(name));
    if (line !== undefined) lineByInputs.set(inputsOf(spec), line);
    return line;
  });
  const reported = Array.from(profiles.values(), (profile, at) => {
    const inputs = inputsOf(profile.spec);
    const { name = "" } = profile.metadata;
    // The node's own report first, then that of another node with the same profile, then what can be resolved here.
    const line = lines[at] ?? lineByInputs.get(inputs) ?? resolvedLine(resolve(profile.spec, name));
    return withReport(profile, observed.get(name), inputs, line);
  });
  const plan = decideNodeTuning({ ...input, profiles: reported, protocol: "documented", possible: trusted });
  return {
    profiles,
    machineConfigs: carriedOut(plan, "MachineConfig", input.machineConfigs ?? []),
    statuses: plan.statuses,
    boot: first.boot,
    agreed: plan.boot.pools,
  };
}

/** The objects of a kind once the plan is carried out, by name. */
export function carriedOut<T extends KubeObject>(plan: Plan, kind: string, observed: readonly T[]): Map<string, T> {
  const objects = new Map(observed.map((object) => [object.metadata.name ?? "", object]));
  for (const { object } of plan.objects) if (object.kind === kind) objects.set(object.metadata.name ?? "", object as T);
  for (const { kind: pruned, metadata } of plan.prunes) if (pruned === kind) objects.delete(metadata.name ?? "");
  return objects;
}

/** A profile that does not resolve has no boot arguments, and the agent never applies it: the status stays as it is. */
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

function resolvedLine(expected: Expected): string | undefined {
  return expected.type === "resolved" ? expected.profile.bootArguments.join(" ") : undefined;
}

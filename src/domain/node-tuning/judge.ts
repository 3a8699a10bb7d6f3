import { certainChain } from "../../language/tuned/resolve.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import type { Profile, Protocol, Tuned } from "./api.ts";
import type { ChosenNode } from "./boot/boot-arguments.ts";
import { profilesOf } from "./expected-profile.ts";
import { defaultTuned, defaultTunedName } from "./default-tuned.ts";
import { inputsOf, isLinux, type NodeFacts, nodeProfile, shippedInputs } from "./node-profile.ts";
import { type Labels, Pools } from "../machine-config/pools.ts";
import { ProfileTexts } from "./profile-texts.ts";
import type { Remembered } from "./remembered.ts";
import { chooseRule, labelledOf, type PassedOver, type Rule, rulesOf } from "./rule.ts";

export interface JudgeInput {
  readonly tuneds: readonly Tuned[];
  readonly nodes: readonly NodeFacts[];
  readonly profiles: readonly Profile[];
  /** Labels of the pods on a node; called only if a rule matches labels of pods. */
  readonly podsOn?: ((node: string) => readonly Labels[]) | undefined;
  /** Undefined if the cluster has no such kind. */
  readonly pools?: readonly MachineConfigPool[] | undefined;
  readonly agent: { readonly release: string };
  readonly protocol: Protocol;
  readonly namespace: string;
  /** From earlier decisions, of the scope of this name. */
  readonly remembered?: Remembered | undefined;
  readonly scope?: string | undefined;
}

/** Which rule is chosen for every node. */
export interface Judgement {
  readonly managementState: "Managed" | "Unmanaged" | "Removed";
  /** With the default Tuned as it is shipped. */
  readonly tuneds: readonly Tuned[];
  readonly rules: readonly Rule[];
  readonly pools: Pools;
  readonly texts: ProfileTexts;
  readonly chosen: readonly Chosen[];
}

export interface Chosen {
  readonly node: ChosenNode;
  /** A profile that the node needs is defined differently in several Tuneds. */
  readonly undecided: boolean;
  /** Rules that match and would come first, if the node could use their profiles: the first of them, and that of its profile. */
  readonly passedOver: readonly PassedOver[];
  /** Why the node keeps the texts it has: those of its rule cannot be used. */
  readonly keeps?: string | undefined;
}

export function judge(input: JudgeInput): Judgement {
  const tuneds = withShipped(input.tuneds, defaultTuned(input.namespace));
  const onHosts = input.profiles.flatMap(({ status }) => status?.hostProfiles ?? []);
  const texts = input.remembered?.texts(tuneds, onHosts, input.scope) ?? new ProfileTexts(tuneds, "all", onHosts);
  const rules = rulesOf(tuneds, texts);
  const pools = new Pools(input.pools ?? []);
  const known = { managementState: stateOf(input.tuneds), tuneds, rules, pools, texts };
  return { ...known, chosen: chooseAll(input, known) };
}

/** Every Linux node with the rule that is chosen for it. */
function chooseAll(input: JudgeInput, { tuneds, rules, pools, texts }: Omit<Judgement, "chosen">): Chosen[] {
  const { namespace, podsOn } = input;
  const observed = new Map(input.profiles.map((profile) => [profile.metadata.name ?? "", profile]));
  const inputs = input.protocol === "shipped" ? shippedInputs(tuneds, input.agent.release) : undefined;
  const usesPods = rules.some((rule) => rule.usesPods);
  const keptBy = lastUsable();
  return input.nodes.flatMap((node): Chosen[] => {
    if (!isLinux(node)) return [];
    const name = node.metadata.name ?? "";
    const labelled = labelledOf(node, observed.get(name), usesPods ? (podsOn?.(name) ?? []) : []);
    const { choice, passedOver } = chooseRule(rules, labelled, pools);
    const kept = keptBy(observed.get(name), passedOver);
    if (kept) {
      const { rule, profile } = kept;
      const wanted = nodeProfile({ node, rule, texts: profile.spec.profile ?? [], namespace, inputs });
      const one = { node, choice: { rule, via: kept.via, ties: [] }, wanted, observed: profile };
      return [{ node: one, undecided: false, passedOver: [], keeps: kept.because }];
    }
    if (!choice) return [];
    const needs = texts.neededBy(choice.rule.recommend.profile);
    const wanted = nodeProfile({ node, rule: choice.rule, texts: needs.texts, namespace, inputs });
    return [
      {
        node: { node, choice, wanted, observed: observed.get(name) },
        undecided: needs.conflicts.length > 0,
        passedOver,
      },
    ];
  });
}

/**
 * Finds the rule whose profile a node already has, although its text has become unusable since. A mistake in an edit must
 * not roll back a node, or take the boot arguments of a pool away.
 */
function lastUsable(): (
  profile: Profile | undefined,
  passedOver: readonly PassedOver[],
) => (PassedOver & { readonly profile: Profile }) | undefined {
  const usable = new Map<string, boolean>();
  return (profile, passedOver) => {
    const found = passedOver.find(({ rule }) => rule.recommend.profile === profile?.spec.config.tunedProfile);
    if (!found || !profile) return undefined;
    const inputs = inputsOf(profile.spec);
    const known = usable.get(inputs) ?? certainChain(profilesOf(profile.spec)).problems.length === 0;
    usable.set(inputs, known);
    return known ? { ...found, profile } : undefined;
  };
}

function stateOf(tuneds: readonly Tuned[]): Judgement["managementState"] {
  const state = tuneds.find(isDefault)?.spec?.managementState;
  return state === "Unmanaged" || state === "Removed" ? state : "Managed";
}

function isDefault({ metadata }: Tuned): boolean {
  return metadata.name === defaultTunedName;
}

/** The default Tuned has the shipped spec, even before the operator has restored it. */
function withShipped(tuneds: readonly Tuned[], shipped: Tuned): Tuned[] {
  const found = tuneds.find(isDefault);
  const others = tuneds.filter((tuned) => !isDefault(tuned));
  return [...others, found ? { ...found, spec: { ...found.spec, ...shipped.spec } } : shipped];
}

import { emptyPlan, type Plan } from "../object/plan.ts";
import { type Profile, profileKind, type Tuned, tunedKind } from "./api.ts";
import { defaultTuned, defaultTunedName } from "./default-tuned.ts";
import { type NodeFacts, nodeProfile } from "./node-profile.ts";
import { ProfileTexts } from "./profile-texts.ts";
import { chooseRule, describeRule, type Rule, rulesOf } from "./rule.ts";
import { tunedStatus } from "./tuned-status.ts";

export interface NodeTuningInput {
  readonly tuneds: readonly Tuned[];
  readonly nodes: readonly NodeFacts[];
  readonly profiles: readonly Profile[];
  readonly namespace: string;
  /** RFC 3339, for conditions. */
  readonly now: string;
}

/** Which profile every node gets, what Tuneds are told, and which Profiles have to go. */
export function decideNodeTuning(input: NodeTuningInput): Plan {
  const { nodes, profiles, namespace, now } = input;
  const plan = emptyPlan();
  const shipped = defaultTuned(namespace);
  plan.objects.push({ owns: "fields", object: shipped, because: "a rule of last resort is always there" });

  const managementState = input.tuneds.find(isDefault)?.spec?.managementState;
  if (managementState === "Unmanaged") return plan;
  if (managementState === "Removed") {
    plan.prunes.push(...profiles.map(referenceTo));
    return plan;
  }

  const tuneds = withShipped(input.tuneds, shipped);
  const texts = new ProfileTexts(tuneds);
  const rules = rulesOf(tuneds);
  const ties = new Ties();
  for (const node of nodes) {
    if (node.metadata.labels?.["kubernetes.io/os"] !== "linux") continue;
    const choice = chooseRule(rules, node.metadata.labels);
    if (!choice) continue;
    for (const other of choice.ties) ties.add(choice.rule, other, node);
    const needs = texts.neededBy(choice.rule.recommend.profile);
    // Nobody can say what this node should have; others are not kept waiting for it.
    if (needs.conflicts.length > 0) continue;
    plan.objects.push({
      owns: "whole",
      object: nodeProfile({ node, rule: choice.rule, texts: needs.texts, namespace }),
      because: describeRule(choice.rule),
    });
  }

  const names = new Set(nodes.map((node) => node.metadata.name));
  plan.prunes.push(...profiles.filter(({ metadata }) => !names.has(metadata.name)).map(referenceTo));

  const findings = { texts, rules, ties: ties.messages() };
  for (const tuned of tuneds) {
    // Not there yet: its creation brings us here again, and then it has a generation to speak of.
    if (tuned === shipped) continue;
    const { name, uid } = tuned.metadata;
    plan.statuses.push({
      of: { ...kindOf(tunedKind), metadata: { name, namespace, uid } },
      status: { ...tunedStatus(tuned, findings, now) },
    });
  }
  return plan;
}

function isDefault({ metadata }: Tuned): boolean {
  return metadata.name === defaultTunedName;
}

/** The default Tuned counts as we ship it, even before it has been put right. */
function withShipped(tuneds: readonly Tuned[], shipped: Tuned): Tuned[] {
  const found = tuneds.find(isDefault);
  const others = tuneds.filter((tuned) => !isDefault(tuned));
  return [...others, found ? { ...found, spec: { ...found.spec, ...shipped.spec } } : shipped];
}

function referenceTo({ metadata: { name, namespace, uid } }: Profile): Plan["prunes"][number] {
  return { ...kindOf(profileKind), metadata: { name, namespace, uid } };
}

function kindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}

/** Rules of equal priority that want different profiles for the same node, told once for each pair of rules. */
class Ties {
  readonly #pairs = new Map<string, { winner: Rule; other: Rule; node: string; more: number }>();

  add(winner: Rule, other: Rule, node: NodeFacts): void {
    const key = JSON.stringify([winner.tuned, winner.index, other.tuned, other.index]);
    const known = this.#pairs.get(key);
    if (known) known.more++;
    else this.#pairs.set(key, { winner, other, node: node.metadata.name ?? "", more: 0 });
  }

  messages(): Map<string, string[]> {
    const messages = new Map<string, string[]>();
    for (const { winner, other, node, more } of this.#pairs.values()) {
      const where = more > 0 ? `node ${node} and ${more} more` : `node ${node}`;
      const message = `${describeRule(winner)} and ${describeRule(other)} both hold for ${where}: the first is used`;
      for (const tuned of new Set([winner.tuned, other.tuned])) {
        const list = messages.get(tuned) ?? [];
        list.push(message);
        messages.set(tuned, list);
      }
    }
    return messages;
  }
}

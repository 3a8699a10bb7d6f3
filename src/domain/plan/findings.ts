import type { Condition } from "../../language/object/condition.ts";
import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Plan } from "../../language/object/plan.ts";
import { type Finding, mostSevereFirst, type ObjectFinding } from "../finding.ts";
import { type Tuned, tuningNamespace } from "../node-tuning/api.ts";
import { defaultTuned, defaultTunedName } from "../node-tuning/default-tuned.ts";
import type { Judgement } from "../node-tuning/judge.ts";
import { rulesByTuned, tieMessages } from "../node-tuning/rule.ts";
import { findingsOnWrite, tunedFindings } from "../node-tuning/tuned-findings.ts";
import type { NodeChange } from "./node-changes.ts";
import type { Settled } from "./settle.ts";

interface FindingsInput {
  readonly tuneds: readonly Tuned[];
  /** Names of the Tuneds that are written. */
  readonly written: readonly string[];
  readonly settled: { readonly before: Settled; readonly after: Settled };
  readonly judgement: { readonly before: Judgement; readonly after: Judgement };
  readonly changes: readonly NodeChange[];
}

/** What the author of a change of Tuneds should know. */
export function tuningFindings({ tuneds, written, settled, judgement, changes }: FindingsInput): ObjectFinding[] {
  const affected = tuneds.filter(({ metadata }) => written.includes(metadata.name ?? ""));
  return distinct([
    ...stateFindings(judgement.before.managementState, judgement.after.managementState),
    ...affected.flatMap((tuned) => writtenFindings(tuned, judgement.after)),
    ...statusFindings(settled.before.statuses, settled.after.statuses, written),
    ...tieFindings(judgement.before, judgement.after),
    ...idleFindings(affected, judgement.after),
    ...profileFindings(changes),
  ]);
}

/** Tuneds that the operator does not read. */
export function ignoredTuneds(objects: readonly KubeObject[]): ObjectFinding[] {
  return objects
    .filter(({ kind, metadata }) => kind === "Tuned" && metadata.namespace !== tuningNamespace)
    .flatMap((tuned) => aboutTuned(tuned, findingsOnWrite(tuned, undefined, tuningNamespace)));
}

function aboutTuned({ metadata }: KubeObject, findings: readonly Finding[]): ObjectFinding[] {
  return findings.map((finding) => ({ ...finding, about: `Tuned ${metadata.name}` }));
}

function stateFindings(before: Judgement["managementState"], after: Judgement["managementState"]): ObjectFinding[] {
  const warning = (message: string): ObjectFinding[] => [
    { severity: "warning", about: `Tuned ${defaultTunedName}`, message },
  ];
  if (after === "Unmanaged")
    return warning("managementState is Unmanaged: Profiles and MachineConfigs stay as they are");
  if (after !== "Removed") return [];
  return warning(
    before === "Removed"
      ? "managementState is Removed: no node is tuned"
      : "managementState becomes Removed: every node gets its original settings back",
  );
}

function writtenFindings(tuned: Tuned, { texts, rules, pools }: Judgement): ObjectFinding[] {
  const findings = tunedFindings(tuned, {
    texts,
    rulesOf: rulesByTuned(rules),
    pools,
    namespace: tuned.metadata.namespace ?? "",
  });
  if (tuned.metadata.name !== defaultTunedName) return aboutTuned(tuned, findings);
  const shipped = defaultTuned("").spec;
  const { profile, recommend } = tuned.spec ?? {};
  if (!equal({ profile, recommend }, { profile: shipped?.profile, recommend: shipped?.recommend }))
    findings.push({ severity: "warning", message: "the operator restores the shipped profile and recommend" });
  return aboutTuned(tuned, findings);
}

/** Conditions that Tuneds will have: all of the written ones, only the new ones of others. */
function statusFindings(
  before: Plan["statuses"],
  after: Plan["statuses"],
  written: readonly string[],
): ObjectFinding[] {
  const known = new Set(before.flatMap(conditionsOf).map(({ about, condition }) => key(about, condition)));
  return after.flatMap(conditionsOf).flatMap(({ about, name, condition }): ObjectFinding[] => {
    const { type, status, message } = condition;
    // Ties and what is wrong with a written Tuned are among the findings already.
    if (message === "" || status === "True") return [];
    if (written.includes(name) ? type === "Valid" : known.has(key(about, condition))) return [];
    return [{ severity: type === "Valid" ? "error" : "warning", about, message }];
  });
}

/** A rule may tie with every other one: the first pairs are enough to find the mistake. */
const mostTies = 3;

/** Pairs of rules that the change makes equal. */
function tieFindings(before: Judgement, after: Judgement): ObjectFinding[] {
  const tiesOf = ({ chosen }: Judgement): Map<string, string[]> => tieMessages(chosen.map(({ node }) => node));
  const known = new Set([...tiesOf(before).values()].flat());
  const fresh = Array.from(tiesOf(after), ([tuned, messages]) =>
    messages
      .filter((message) => !known.has(message))
      .map((message): ObjectFinding => ({ severity: "note", about: `Tuned ${tuned}`, message })),
  ).flat();
  const messages = [...new Set(fresh.map(({ message }) => message))];
  const shown = fresh.filter(({ message }) => messages.indexOf(message) < mostTies);
  const more = messages.length - mostTies;
  const [first] = fresh;
  if (!first || more <= 0) return shown;
  return [...shown, { ...first, message: `${more} more pairs of rules tie, as attune explain node shows` }];
}

function conditionsOf({
  of,
  status,
}: Plan["statuses"][number]): { about: string; name: string; condition: Condition }[] {
  if (of.kind !== "Tuned") return [];
  const { name = "" } = of.metadata;
  const { conditions = [] } = status as NonNullable<Tuned["status"]>;
  return conditions.map((condition) => ({ about: `Tuned ${name}`, name, condition }));
}

const key = (about: string, { type, status, message }: Condition): string =>
  JSON.stringify([about, type, status, message]);

function idleFindings(tuneds: readonly Tuned[], { chosen }: Judgement): ObjectFinding[] {
  const winning = new Set(chosen.map(({ node }) => node.choice.rule.tuned));
  return tuneds
    .filter(({ metadata, spec }) => spec?.recommend?.length && !winning.has(metadata.name ?? ""))
    .map(({ metadata }) => ({
      severity: "note",
      about: `Tuned ${metadata.name}`,
      message: "none of its rules wins on any node",
    }));
}

function profileFindings(changes: readonly NodeChange[]): ObjectFinding[] {
  const failing = new Map<string, { about: string; message: string; nodes: string[] }>();
  const findings: ObjectFinding[] = [];
  for (const { after = "", problems, warnings, nodes } of changes) {
    const about = `profile ${after}`;
    findings.push(...warnings.map((message): ObjectFinding => ({ severity: "warning", about, message })));
    for (const message of problems) {
      const id = JSON.stringify([about, message]);
      const known = failing.get(id) ?? { about, message, nodes: [] };
      known.nodes.push(...nodes);
      failing.set(id, known);
    }
  }
  for (const { about, message, nodes } of failing.values()) {
    const where = nodes.length > 1 ? `node ${nodes[0]} and ${nodes.length - 1} more` : `node ${nodes[0]}`;
    findings.push({ severity: "error", about, message: `${message.replace(/\.$/, "")}; ${where} cannot apply it` });
  }
  return findings;
}

/** Most severe first. A message appears once, with all objects that it is about, and not again as a part of another. */
function distinct(findings: readonly ObjectFinding[]): ObjectFinding[] {
  const kept: { finding: ObjectFinding; about: Set<string> }[] = [];
  for (const finding of findings.toSorted(mostSevereFirst)) {
    const { about, message } = finding;
    const same = kept.find((other) => other.finding.message === message);
    if (same) same.about.add(about);
    else if (!kept.some((other) => other.about.has(about) && other.finding.message.includes(message)))
      kept.push({ finding, about: new Set([about]) });
  }
  return kept.map(({ finding, about }) => ({ ...finding, about: firstOf([...about]) }));
}

function firstOf(names: readonly string[]): string {
  return names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}

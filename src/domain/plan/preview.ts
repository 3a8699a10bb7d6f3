import type { Condition } from "../../language/object/condition.ts";
import { mostSevereFirst, type ObjectFinding } from "../finding.ts";
import { equal } from "../../language/object/json.ts";
import type { Plan } from "../../language/object/plan.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { defaultTuned, defaultTunedName } from "../node-tuning/default-tuned.ts";
import { type NodeChange, nodeChanges } from "./node-changes.ts";
import { type BootChange, bootChanges } from "./boot-changes.ts";
import { judge, type Judgement } from "../node-tuning/judge.ts";
import { foreteller, type KnownOf, settle } from "./settle.ts";
import { tunedWarnings } from "../node-tuning/status/tuned-warnings.ts";

export interface ForeseeInput {
  readonly before: NodeTuningInput;
  readonly after: NodeTuningInput;
  /** Names of the Tuneds that are written, whether that changes them or not. */
  readonly written: readonly string[];
  /** What nodes would answer: now, and once the change has reached them. Default: nothing is known. */
  readonly known?: { readonly before: KnownOf; readonly after: KnownOf };
}

/** What would come of a change, once operator and nodes have done what there is to do. */
export interface Foresight {
  /** How many nodes are tuned at all. */
  readonly nodes: number;
  readonly changes: readonly NodeChange[];
  readonly boot: readonly BootChange[];
  readonly findings: readonly ObjectFinding[];
}

/** Nothing is asked of anybody: what only nodes can tell is left open. */
export function foresee({ before, after, written, known }: ForeseeInput): Foresight {
  const foretold = foreteller(known?.before);
  const foretell = { before: foretold, after: known ? foreteller(known.after) : foretold };
  const was = settle(before, foretell.before);
  const will = settle(after, foretell.after);
  const judgement = judge(after);
  const changes = nodeChanges(was, will, foretell);
  const tuneds = after.tuneds.filter(({ metadata }) => written.includes(metadata.name ?? ""));
  const findings = [
    ...stateFindings(judge(before).managementState, judgement.managementState),
    ...tuneds.flatMap(writtenFindings),
    ...statusFindings(was.statuses, will.statuses, written),
    ...idleFindings(tuneds, judgement),
    ...profileFindings(changes),
  ];
  return {
    nodes: judgement.chosen.length,
    changes,
    boot: bootChanges(was, will, {
      nodes: after.nodes,
      pools: after.pools ?? [],
      machineConfigs: before.machineConfigs ?? [],
    }),
    findings: distinct(findings),
  };
}

function stateFindings(before: Judgement["managementState"], after: Judgement["managementState"]): ObjectFinding[] {
  const about = `Tuned ${defaultTunedName}`;
  if (after === "Unmanaged")
    return [
      {
        severity: "warning",
        about,
        message: "managementState is Unmanaged: Profiles and MachineConfigs stay as they are",
      },
    ];
  if (after === "Removed" && before !== "Removed")
    return [
      {
        severity: "warning",
        about,
        message: "managementState becomes Removed: every node gets its original settings back",
      },
    ];
  return after === "Removed"
    ? [{ severity: "warning", about, message: "managementState is Removed: no node is tuned" }]
    : [];
}

function writtenFindings(tuned: Tuned): ObjectFinding[] {
  const about = `Tuned ${tuned.metadata.name}`;
  const findings = tunedWarnings(tuned).map((message): ObjectFinding => ({ severity: "warning", about, message }));
  if (tuned.metadata.name !== defaultTunedName) return findings;
  const shipped = defaultTuned("").spec;
  const { profile, recommend } = tuned.spec ?? {};
  if (!equal({ profile, recommend }, { profile: shipped?.profile, recommend: shipped?.recommend }))
    findings.push({
      severity: "warning",
      about,
      message: "the operator puts profile and recommend back as they are shipped",
    });
  return findings;
}

/** What Tuneds will be told: of those that are written everything, of others what is new. */
function statusFindings(
  before: Plan["statuses"],
  after: Plan["statuses"],
  written: readonly string[],
): ObjectFinding[] {
  const known = new Set(before.flatMap(conditionsOf).map(({ about, condition }) => key(about, condition)));
  return after.flatMap(conditionsOf).flatMap(({ about, name, condition }): ObjectFinding[] => {
    const { type, status, message } = condition;
    if (message === "" || (status === "True" && type === "BootArguments")) return [];
    if (!written.includes(name) && known.has(key(about, condition))) return [];
    const severity = status === "True" ? "note" : type === "Valid" ? "error" : "warning";
    return [{ severity, about, message }];
  });
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

/** Whoever writes rules wants them to win somewhere. */
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
  const unable = new Map<string, { about: string; message: string; nodes: string[] }>();
  const findings: ObjectFinding[] = [];
  for (const { after = "", problems, warnings, nodes } of changes) {
    const about = `profile ${after}`;
    findings.push(...warnings.map((message): ObjectFinding => ({ severity: "warning", about, message })));
    for (const message of problems) {
      const id = JSON.stringify([about, message]);
      const known = unable.get(id) ?? { about, message, nodes: [] };
      known.nodes.push(...nodes);
      unable.set(id, known);
    }
  }
  for (const { about, message, nodes } of unable.values()) {
    const where = nodes.length > 1 ? `node ${nodes[0]} and ${nodes.length - 1} more` : `node ${nodes[0]}`;
    findings.push({ severity: "error", about, message: `${message.replace(/\.$/, "")}; ${where} cannot apply it` });
  }
  return findings;
}

/** The worst first. What was said already is not said again, and what holds for several is said once. */
function distinct(findings: readonly ObjectFinding[]): ObjectFinding[] {
  const kept: { finding: ObjectFinding; about: Set<string> }[] = [];
  for (const finding of findings.toSorted(mostSevereFirst)) {
    const { about, message } = finding;
    const same = kept.find((other) => other.finding.message === message);
    if (same) same.about.add(about);
    else if (!kept.some((other) => other.about.has(about) && other.finding.message.includes(message)))
      kept.push({ finding, about: new Set([about]) });
  }
  return kept.map(({ finding, about }) => ({ ...finding, about: someOf([...about]) }));
}

function someOf(names: readonly string[]): string {
  return names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}

import type { Match } from "../api.ts";
import { hasLabel, type Labelled, type Labels, matches } from "../match.ts";

/** One label of a rule's tree, held against a node. */
export interface LabelVerdict {
  /** Absent: holds by itself. */
  readonly label?: string;
  readonly value?: string;
  readonly of: "node" | "pod";
  readonly found: "as wanted" | "different" | "missing";
  /** The values that are there instead. */
  readonly instead?: readonly string[];
  /** Whether it holds, with what stands below it. */
  readonly holds: boolean;
  /** Of which one must hold as well. */
  readonly match?: readonly LabelVerdict[];
}

/** Only for trees in which `matchProblem` finds nothing. */
export function explainMatch(rules: readonly Match[], labelled: Labelled): LabelVerdict[] {
  return rules.map((rule) => {
    const { label, value, type, match } = rule;
    const named = typeof label === "string";
    const instead = named && !hasLabel(rule, labelled) ? valuesOf(label, type, labelled) : [];
    return {
      ...(named ? { label } : {}),
      ...(typeof value === "string" ? { value } : {}),
      of: type === "pod" ? "pod" : "node",
      found: hasLabel(rule, labelled) ? "as wanted" : instead.length > 0 ? "different" : "missing",
      ...(instead.length > 0 ? { instead } : {}),
      holds: matches([rule], labelled),
      ...(match?.length ? { match: explainMatch(match, labelled) } : {}),
    };
  });
}

function valuesOf(label: string, type: string | undefined, { node, pods }: Labelled): string[] {
  const among = (labels: Labels): string[] => (Object.hasOwn(labels, label) ? [labels[label] ?? ""] : []);
  return [...new Set(type === "pod" ? pods.flatMap(among) : among(node))].toSorted();
}

/** Why one of several holds, or why none does: clauses that can stand after "because". */
export function describeMatch(verdicts: readonly LabelVerdict[]): string {
  const held = verdicts.find(({ holds }) => holds);
  return held ? describeHeld(held) : verdicts.map(describeMissed).join("; ");
}

function describeHeld(verdict: LabelVerdict): string {
  const below = verdict.match?.find(({ holds }) => holds);
  const rest = below ? [describeHeld(below)] : [];
  if (verdict.label === undefined) return rest[0] ?? "it names no label";
  const who = verdict.of === "pod" ? "a pod on the node has" : "the node has";
  return [`${who} ${labelText(verdict)}`, ...rest].join(", ");
}

function describeMissed({ label = "", value, of, found, instead = [], match = [] }: LabelVerdict): string {
  if (found === "as wanted") {
    const below = match.map(describeMissed).join("; ");
    return label === "" ? below : `${labelText({ label, value })} is there, but ${below}`;
  }
  if (found === "missing")
    return of === "pod" ? `no pod on the node has ${labelText({ label })}` : `${labelText({ label })} is missing`;
  const values = instead.map((one) => JSON.stringify(one)).join(", ");
  return `${of === "pod" ? "on pods " : ""}${labelText({ label })} is ${values}, not ${JSON.stringify(value)}`;
}

function labelText({ label = "", value }: Pick<LabelVerdict, "label" | "value">): string {
  return value === undefined || value === "" ? `label ${label}` : `label ${label}=${value}`;
}

import { isObject } from "../../language/object/json.ts";
import type { Match } from "./api.ts";

export type Labels = Readonly<Record<string, string>>;

/** What a tree of labels is held against. */
export interface Labelled {
  readonly node: Labels;
  /** Of each pod on the node. */
  readonly pods: readonly Labels[];
}

/** Whether any of the rules holds. Only for trees in which `matchProblem` finds nothing. */
export function matches(rules: readonly Match[], labelled: Labelled): boolean {
  return rules.some((rule) => hasLabel(rule, labelled) && (!rule.match?.length || matches(rule.match, labelled)));
}

/** A rule without a label holds by itself; an empty one is a label that nothing has. */
export function hasLabel({ label, value, type }: Match, { node, pods }: Labelled): boolean {
  if (label === undefined || label === null) return true;
  const among = (labels: Labels): boolean =>
    Object.hasOwn(labels, label) && (value === undefined || value === null || labels[label] === value);
  return type === "pod" ? pods.some(among) : among(node);
}

/** Whether pods have to be looked at to judge the tree. */
export function usesPods(rules: readonly Match[] | null | undefined): boolean {
  return (rules ?? []).some(({ type, match }) => type === "pod" || usesPods(match));
}

const deepest = 50;

/** Why a tree cannot be used, with its place; undefined when it can. Below its first level the API checks nothing. */
export function matchProblem(rules: unknown, path: string, depth = 0): string | undefined {
  if (rules === undefined || rules === null) return undefined;
  if (!Array.isArray(rules)) return `${path} is not a list`;
  if (depth >= deepest) return `${path} is nested more than ${deepest} deep`;
  for (const [i, rule] of rules.entries()) {
    const problem = ruleProblem(rule, `${path}[${i}]`, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ruleProblem(rule: unknown, path: string, depth: number): string | undefined {
  if (!isObject(rule)) return `${path} is not an object`;
  for (const field of ["label", "value", "type"])
    if (rule[field] !== undefined && rule[field] !== null && typeof rule[field] !== "string")
      return `${path}.${field} is not a string`;
  return matchProblem(rule["match"], `${path}.match`, depth + 1);
}

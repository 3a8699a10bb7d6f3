import { isObject } from "../object/json.ts";
import type { Match } from "./api.ts";

type Labels = Readonly<Record<string, string>>;

/** Whether any of the rules holds for a node with these labels. Only for trees in which `matchProblem` finds nothing. */
export function matchesNode(rules: readonly Match[], labels: Labels): boolean {
  return rules.some((rule) => hasLabel(rule, labels) && (!rule.match?.length || matchesNode(rule.match, labels)));
}

/** A rule without a label holds by itself; an empty one is a label that no node has. */
function hasLabel({ label, value }: Match, labels: Labels): boolean {
  if (label === undefined || label === null) return true;
  return Object.hasOwn(labels, label) && (value === undefined || labels[label] === value);
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
  if (rule["type"] === "pod") return `${path}: labels of pods are not supported`;
  return matchProblem(rule["match"], `${path}.match`, depth + 1);
}

import { type LabelOperator, type LabelRequirement, type LabelSelector, matchesLabels } from "../label-selector.ts";

interface NodeSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

/** The part of a pod's `affinity` that is about nodes alone. */
export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] };
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[];
}

/** Fields of a pod that restrict its nodes. */
interface NodeChoice {
  nodeSelector?: Record<string, string> | undefined;
  affinity?: { nodeAffinity?: NodeAffinity } | undefined;
}

/** A node selector term: requirements of labels and of the name. */
interface NodeTerm {
  labels: LabelSelector;
  names: readonly { in: boolean; values: readonly string[] }[];
}

interface NodeIdentity {
  name: string;
  labels: Readonly<Record<string, string>>;
}

/** Which nodes a pod requires and prefers: `nodeSelector` and `affinity.nodeAffinity`. */
export interface NodeConstraints {
  selector: LabelSelector | undefined;
  /** At least one must match. */
  required: readonly NodeTerm[] | undefined;
  preferred: readonly { weight: number; term: NodeTerm }[];
  /** The only nodes that can match, if all required terms name nodes. */
  names: ReadonlySet<string> | undefined;
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

export function nodeConstraintsOf({ nodeSelector, affinity }: NodeChoice): NodeConstraints {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution } =
    affinity?.nodeAffinity ?? {};
  const terms = required?.nodeSelectorTerms.flatMap((term) => termOf(term) ?? []);
  return {
    selector: nodeSelector ? exactly(nodeSelector) : undefined,
    required: terms,
    preferred: (preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, preference }) => {
      const term = termOf(preference);
      return term ? [{ weight, term }] : [];
    }),
    names: terms && namesIn(terms),
  };
}

export function mayRunOn({ selector, required }: NodeConstraints, node: NodeIdentity): boolean {
  if (selector && !matchesLabels(selector, node.labels)) return false;
  return !required || required.some((term) => holds(term, node));
}

/** The sum of the weights of preferred terms that match. */
export function preferenceFor({ preferred }: NodeConstraints, node: NodeIdentity): number {
  let sum = 0;
  for (const { weight, term } of preferred) if (holds(term, node)) sum += weight;
  return sum;
}

function exactly(labels: Readonly<Record<string, string>>): LabelSelector {
  return { requirements: Object.entries(labels).map(([key, value]) => ({ key, operator: "=", values: [value] })) };
}

/** An empty term matches no node, so it is dropped. */
function termOf({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeTerm | undefined {
  if (matchExpressions.length === 0 && matchFields.length === 0) return undefined;
  return {
    labels: { requirements: matchExpressions.map(requirementOf) },
    names: matchFields.map(({ operator, values = [] }) => ({ in: operator === "In", values })),
  };
}

function requirementOf({ key, operator, values = [] }: NodeSelectorRequirement): LabelRequirement {
  const known = operators.get(operator);
  // An unknown operator matches no node: no value is in an empty list.
  return known ? { key, operator: known, values } : { key, operator: "in", values: [] };
}

function holds({ labels, names }: NodeTerm, node: NodeIdentity): boolean {
  return names.every((field) => field.values.includes(node.name) === field.in) && matchesLabels(labels, node.labels);
}

function namesIn(terms: readonly NodeTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const field = term.names.find((one) => one.in);
    if (!field) return undefined;
    for (const name of field.values) names.add(name);
  }
  return names;
}

import { labelValue, qualifiedName } from "./names.ts";
import { isReservedForSets, SelectorLexer, type Token } from "./selector-lexer.ts";

/** All requirements must hold; without any, every object matches. `nothing` matches no object. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly nothing?: boolean;
}

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, without repetition. */
  readonly values: readonly string[];
}

export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SelectorError";
  }
}

export const everything: LabelSelector = { requirements: [] };
export const nothing: LabelSelector = { requirements: [], nothing: true };

/** Reads the argument of `kubectl -l`. Throws a SelectorError with the message of kube-apiserver. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === "") return everything;
  const lexer = new SelectorLexer(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const token = asValue(lexer.peek());
    if (token.type === "end") break;
    if (token.type !== "identifier" && token.type !== "!")
      throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
    requirements.push(parseRequirement(lexer));
    const next = asValue(lexer.next());
    if (next.type === "end") break;
    if (next.type !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
    const after = asValue(lexer.peek());
    if (after.type !== "identifier" && after.type !== "!")
      throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
  }
  return { requirements: requirements.toSorted((a, b) => compare(a.key, b.key)) };
}

export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | null | undefined,
): boolean {
  if (selector.nothing) return false;
  for (const requirement of selector.requirements) {
    const value = labels && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    if (!holds(requirement, value)) return false;
  }
  return true;
}

function holds({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && (values.length === 1 ? values[0] === value : values.includes(value));
    case "!=":
    case "notin":
      return value === undefined || (values.length === 1 ? values[0] !== value : !values.includes(value));
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    default: {
      const left = value === undefined ? undefined : parseInteger(value);
      const right = parseInteger(values[0] ?? "");
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
  }
}

/** The form selectors have inside objects: `spec.selector`, `matchLabels`. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

const expressionOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** An absent selector matches nothing, an empty one everything. */
export function fromLabelSelector(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (!selector) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    requirements.push(newRequirement(key, "=", [value]));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const known = expressionOperators.get(operator);
    if (!known) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    requirements.push(newRequirement(key, known, values));
  }
  return requirements.length === 0
    ? everything
    : { requirements: requirements.toSorted((a, b) => compare(a.key, b.key)) };
}

export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(",");
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values.join("")}`;
    case "lt":
      return `${key}<${values.join("")}`;
    default:
      return `${key}${operator}${values.join("")}`;
  }
}

function parseRequirement(lexer: SelectorLexer): LabelRequirement {
  try {
    return requirementAt(lexer);
  } catch (error) {
    if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function requirementAt(lexer: SelectorLexer): LabelRequirement {
  let token = asValue(lexer.next());
  const negated = token.type === "!";
  if (negated) token = asValue(lexer.next());
  if (token.type !== "identifier") throw new SelectorError(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const reasons = qualifiedName(key);
  if (reasons.length > 0)
    throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${reasons.join("; ")}`);
  const after = asValue(lexer.peek());
  if (after.type === "end" || after.type === ",") return newRequirement(key, negated ? "!" : "exists", []);
  // As kube-apiserver does: what follows `!key` is not read as an operator.
  if (negated) return newRequirement(key, "!", []);

  const operator = lexer.next();
  switch (operator.type) {
    case "in":
    case "notin":
      return newRequirement(key, operator.type, parseValues(lexer));
    case "=":
    case "==":
    case "!=":
      return newRequirement(key, operator.type, [parseExactValue(lexer)]);
    case ">":
      return newRequirement(key, "gt", [parseExactValue(lexer)]);
    case "<":
      return newRequirement(key, "lt", [parseExactValue(lexer)]);
    default:
      throw new SelectorError(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function parseExactValue(lexer: SelectorLexer): string {
  const ahead = asValue(lexer.peek());
  if (ahead.type === "end" || ahead.type === ",") return "";
  const token = asValue(lexer.next());
  if (token.type === "identifier") return token.text;
  throw new SelectorError(`found '${token.text}', expected: identifier`);
}

/** `(a,b)`; a missing value between commas counts as the empty one. */
function parseValues(lexer: SelectorLexer): string[] {
  const open = asValue(lexer.next());
  if (open.type !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = asValue(lexer.peek());
  if (first.type === ")") {
    lexer.next();
    return [""];
  }
  if (first.type !== "identifier" && first.type !== ",")
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  const values: string[] = [];
  for (;;) {
    const token = asValue(lexer.next());
    if (token.type === "identifier") {
      values.push(token.text);
      const after = asValue(lexer.peek());
      if (after.type === ")") break;
      if (after.type !== ",") throw new SelectorError(`found '${after.text}', expected: ',' or ')'`);
    } else if (token.type === ",") {
      if (values.length === 0) values.push("");
      const after = asValue(lexer.peek());
      if (after.type === ")") {
        values.push("");
        break;
      }
      if (after.type === ",") {
        lexer.next();
        values.push("");
      }
    } else throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
  }
  lexer.next();
  return values;
}

function newRequirement(key: string, operator: LabelOperator, given: readonly string[]): LabelRequirement {
  const values = [...new Set(given)].toSorted(compare);
  const faults: string[] = [];
  const keyReasons = qualifiedName(key);
  if (keyReasons.length > 0) faults.push(`key: Invalid value: ${JSON.stringify(key)}: ${keyReasons.join("; ")}`);
  if ((operator === "in" || operator === "notin") && values.length === 0)
    faults.push(`values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`);
  if ((operator === "exists" || operator === "!") && values.length > 0)
    faults.push(
      `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
    );
  if ((operator === "gt" || operator === "lt") && parseInteger(values[0] ?? "") === undefined)
    faults.push(
      `values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  for (const [i, value] of values.entries()) {
    const reasons = labelValue(value);
    if (reasons.length > 0)
      faults.push(`values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${reasons.join("; ")}`);
  }
  if (faults.length > 0) throw new SelectorError(faults.length === 1 ? `${faults[0]}` : `[${faults.join(", ")}]`);
  return { key, operator, values };
}

/** `in` and `notin` are operators only where an operator is expected; elsewhere they are names. */
function asValue(token: Token): Token {
  return isReservedForSets(token) ? { type: "identifier", text: token.text } : token;
}

const integer = /^[+-]?[0-9]+$/;

/** A 64-bit integer as Go reads it, or undefined. */
function parseInteger(text: string): bigint | undefined {
  if (text.length > 64 || !integer.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

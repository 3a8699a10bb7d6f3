import { get, isObject } from "../../../language/object/json.ts";

/**
 * The part of kubectl's JSONPath that printer columns and selectable fields use: names (with escaped dots), `['name']`,
 * indexes, slices, unions, `*`, `..name` and filters such as `[?(@.type=="Ready")]`.
 */
export interface JsonPath {
  readonly steps: readonly Step[];
}

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "every" }
  | { readonly type: "descend" }
  | { readonly type: "union"; readonly picks: readonly Pick[] }
  | { readonly type: "filter"; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

type Pick =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | {
      readonly type: "slice";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
    };

type Operand =
  | { readonly type: "path"; readonly path: JsonPath }
  | { readonly type: "literal"; readonly value: unknown };

/** Users write paths, and they are evaluated for every row of a table: length and evaluation are limited. */
const MAX_LENGTH = 1024;
const MAX_VISITS = 10_000;

const NAME_ENDS = new Set([".", ",", "[", "]", "$", "@", "{", "}", " ", "\t", "\n", "\r"]);
const SLICE = /^(-?\d{1,9})?(?::(-?\d{1,9})?)?(?::(-?\d{1,9})?)?$/;
const OPERATORS = ["==", "!=", "<=", ">=", "<", ">"];

/** Undefined if the text is not a path; kube-apiserver then omits the column and those after it. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === "[") {
      const end = closingBracket(text, at);
      const step = end === undefined ? undefined : parseBracket(text.slice(at + 1, end).trim());
      if (end === undefined || !step) return undefined;
      steps.push(step);
      at = end + 1;
    } else if (text[at] === ".") {
      at++;
      if (text[at] === ".") {
        steps.push({ type: "descend" });
        at++;
      }
      const name = readName(text, at);
      at += name.length;
      if (name === "*") steps.push({ type: "every" });
      else if (name !== "") steps.push({ type: "field", name: unescaped(name) });
    } else return undefined;
  }
  return { steps };
}

function readName(text: string, start: number): string {
  let end = start;
  while (end < text.length && !NAME_ENDS.has(text.charAt(end))) end += text[end] === "\\" ? 2 : 1;
  return text.slice(start, Math.min(end, text.length));
}

function unescaped(name: string): string {
  let result = "";
  for (let i = 0; i < name.length; i++) {
    if (name[i] === "\\" && i + 1 < name.length) i++;
    result += name.charAt(i);
  }
  return result;
}

/** Brackets can nest within filters, and are ignored within quotes. */
function closingBracket(text: string, open: number): number | undefined {
  let depth = 0;
  let quote = "";
  for (let i = open; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") i++;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "[") depth++;
    else if (char === "]" && --depth === 0) return i;
  }
  return undefined;
}

function parseBracket(inside: string): Step | undefined {
  if (inside === "*") return { type: "every" };
  if (inside.startsWith("?(") && inside.endsWith(")")) return parseFilter(inside.slice(2, -1));
  const picks: Pick[] = [];
  for (const part of outsideQuotes(inside, ",")) {
    const pick = parsePick(part.trim());
    if (!pick) return undefined;
    picks.push(pick);
  }
  return { type: "union", picks };
}

function parsePick(text: string): Pick | undefined {
  if (text.length >= 2 && text.startsWith("'") && text.endsWith("'"))
    return { type: "field", name: unescaped(text.slice(1, -1)) };
  const match = text === "" ? null : SLICE.exec(text);
  if (!match) return undefined;
  if (!text.includes(":")) return { type: "index", index: Number(text) };
  const number = (part: string | undefined) => (part ? Number(part) : undefined);
  const step = number(match[3]) ?? 1;
  return step > 0 ? { type: "slice", from: number(match[1]), to: number(match[2]), step } : undefined;
}

function parseFilter(text: string): Step | undefined {
  for (const operator of OPERATORS) {
    const [left, right, more] = outsideQuotes(text, operator);
    if (left === undefined || right === undefined) continue;
    const operands = [parseOperand(left.trim()), parseOperand(right.trim())] as const;
    if (more !== undefined || !operands[0] || !operands[1]) return undefined;
    return { type: "filter", left: operands[0], operator, right: operands[1] };
  }
  const operand = parseOperand(text.trim());
  return operand && { type: "filter", left: operand, operator: "exists", right: undefined };
}

function parseOperand(text: string): Operand | undefined {
  if (text.startsWith("@")) {
    const path = parseJsonPath(text.slice(1));
    return path && { type: "path", path };
  }
  const quote = text.charAt(0);
  if ((quote === "'" || quote === '"') && text.length >= 2 && text.endsWith(quote))
    return { type: "literal", value: unescaped(text.slice(1, -1)) };
  if (text === "true" || text === "false") return { type: "literal", value: text === "true" };
  return /^-?\d+(\.\d+)?$/.test(text) ? { type: "literal", value: Number(text) } : undefined;
}

function outsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let quote = "";
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") i++;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (text.startsWith(separator, i)) {
      parts.push(text.slice(start, i));
      start = i + separator.length;
      i = start - 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** All matches; none if a name is missing or the evaluation exceeds its limit. */
export function evaluate(path: JsonPath, root: unknown): unknown[] {
  return walk(path, root, { left: MAX_VISITS });
}

function walk(path: JsonPath, root: unknown, budget: { left: number }): unknown[] {
  let found: unknown[] = [root];
  for (const step of path.steps) {
    const next: unknown[] = [];
    for (const value of found) {
      if (--budget.left < 0) return [];
      take(step, value, next, budget);
    }
    found = next;
  }
  return found;
}

function take(step: Step, value: unknown, into: unknown[], budget: { left: number }): void {
  if (step.type === "field") {
    const child = get(value, step.name);
    if (child !== undefined) into.push(child);
  } else if (step.type === "every") {
    for (const child of children(value)) into.push(child);
  } else if (step.type === "descend") {
    descend(value, into, budget);
  } else if (step.type === "union") {
    for (const pick of step.picks) takePick(pick, value, into);
  } else {
    for (const child of Array.isArray(value) ? value : []) if (passes(step, child, budget)) into.push(child);
  }
}

function takePick(pick: Pick, value: unknown, into: unknown[]): void {
  if (pick.type === "field") {
    const child = get(value, pick.name);
    if (child !== undefined) into.push(child);
    return;
  }
  if (!Array.isArray(value)) return;
  const length = value.length;
  const absolute = (index: number) => (index < 0 ? index + length : index);
  if (pick.type === "index") {
    const index = absolute(pick.index);
    if (index >= 0 && index < length) into.push(value[index]);
    return;
  }
  const to = Math.min(absolute(pick.to ?? length), length);
  for (let i = Math.max(absolute(pick.from ?? 0), 0); i < to; i += pick.step) into.push(value[i]);
}

/** The value and all values below it, parents first. Not recursive: a deeply nested object could overflow the stack. */
function descend(root: unknown, into: unknown[], budget: { left: number }): void {
  const pending = [root];
  for (; pending.length > 0 && budget.left > 0; budget.left--) {
    const value = pending.pop();
    into.push(value);
    pending.push(...children(value).slice(0, MAX_VISITS).reverse());
  }
}

function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return isObject(value) ? Object.values(value) : [];
}

function passes(filter: Extract<Step, { type: "filter" }>, value: unknown, budget: { left: number }): boolean {
  const valuesOf = (operand: Operand) =>
    operand.type === "literal" ? [operand.value] : walk(operand.path, value, budget);
  const left = valuesOf(filter.left);
  if (!filter.right) return left.length > 0;
  const right = valuesOf(filter.right);
  if (left.length !== 1 || right.length !== 1) return false;
  return holds(left[0], filter.operator, right[0]);
}

function holds(left: unknown, operator: string, right: unknown): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return typeof left === typeof right && left !== right;
  if (isNumber(left) && isNumber(right)) return ordered(left, operator, right);
  return typeof left === "string" && typeof right === "string" && ordered(left, operator, right);
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

function ordered<T extends string | number | bigint>(left: T, operator: string, right: T): boolean {
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}

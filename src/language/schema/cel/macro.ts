import { charge, type Frame } from "./frame.ts";
import { fieldType, lookUp, truth } from "./look-up.ts";
import type { Compiled, Scope } from "./scope.ts";
import { CompileError, type Node, unexpected } from "./syntax.ts";
import { agree, bool, dyn, int, list, map, optional, showType, type Type } from "./type.ts";
import { asKey, EvaluationError, isList, isMap, none, ObjectValue, OptionalValue, type Value } from "./value.ts";

/** A call that is expanded at compile time: `has`, `all`, `map` and others take expressions, not values. */
export type MacroCall = Extract<Node, { op: "call" }>;

/** The compiler is passed as an argument, because it imports this file itself. */
type Compile = (node: Node, scope: Scope) => Compiled;

interface Loop {
  readonly vars: readonly string[];
  readonly bodies: readonly Node[];
}

const quantifiers = new Set(["all", "exists", "exists_one", "existsOne"]);

export function isMacro(node: MacroCall): boolean {
  if (node.name === "has" && !node.target) return node.args.length === 1;
  return node.target !== undefined && (loopOf(node) !== undefined || isOptionalMap(node));
}

export function expandMacro(node: MacroCall, scope: Scope, compile: Compile): Compiled {
  if (node.name === "has" && !node.target) return has(node, scope, compile);
  const loop = loopOf(node);
  if (!loop) return optionalMap(node, scope, compile);
  const range = compile(node.target!, scope);
  const inner = scope.inner();
  const [first, second] = variableTypes(range.type, loop.vars.length, node.target!.at);
  const slots = loop.vars.map((name, i) => inner.declare(name, i === 0 ? first : second));
  const bodies = loop.bodies.map((body) => compile(body, inner));
  const predicate = quantifiers.has(node.name) || node.name === "filter" || bodies.length === 2 ? bodies[0] : undefined;
  if (predicate && !agree(predicate.type, bool)) throw unexpected(bool, predicate.type, loop.bodies[0]!.at);
  const each = (frame: Frame, visit: (item: Value) => boolean) => iterate(range.run(frame), slots, frame, visit);
  const result = bodies.at(-1)!;
  switch (node.name) {
    case "all":
      return { type: bool, run: (frame) => quantify(each, result, frame, false) };
    case "exists":
      return { type: bool, run: (frame) => quantify(each, result, frame, true) };
    case "exists_one":
    case "existsOne":
      return { type: bool, run: (frame) => countTrue(each, result, frame) === 1 };
    case "filter":
      return { type: list(first), run: (frame) => collect(each, result, undefined, frame) };
    case "transformMap": {
      const entry = { predicate, keySlot: slots[0]!, transform: result };
      return { type: map(first, result.type), run: (frame) => collectMap(each, entry, frame) };
    }
    default:
      return { type: list(result.type), run: (frame) => collect(each, predicate, result, frame) };
  }
}

type Each = (frame: Frame, visit: (item: Value) => boolean) => void;

function loopOf({ name, args }: MacroCall): Loop | undefined {
  const vars: string[] = [];
  for (const argument of args.slice(0, 2)) if (argument.op === "identifier") vars.push(argument.name);
  const [first, second] = vars;
  if (args[0]?.op !== "identifier" || first === undefined) return undefined;
  if (quantifiers.has(name)) {
    if (args.length === 2) return { vars: [first], bodies: args.slice(1) };
    if (args.length === 3 && second !== undefined) return { vars: [first, second], bodies: args.slice(2) };
  }
  if (name === "filter" && args.length === 2) return { vars: [first], bodies: args.slice(1) };
  if (name === "map" && (args.length === 2 || args.length === 3)) return { vars: [first], bodies: args.slice(1) };
  if ((name === "transformList" || name === "transformMap") && (args.length === 3 || args.length === 4))
    if (second !== undefined) return { vars: [first, second], bodies: args.slice(2) };
  return undefined;
}

/** A single variable takes the items of a list or the keys of a map; of two, the first takes positions or keys. */
function variableTypes(range: Type, count: number, at: number): [Type, Type] {
  if (range.kind === "dyn") return [dyn, dyn];
  if (range.kind === "list") return count === 1 ? [range.item, dyn] : [int, range.item];
  if (range.kind === "map") return [range.key, range.value];
  throw new CompileError(
    `expression of type '${showType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    at,
  );
}

function iterate(range: Value, slots: readonly number[], frame: Frame, visit: (item: Value) => boolean): void {
  const [first, second] = slots as [number, number | undefined];
  if (!isList(range) && !isMap(range)) throw new EvaluationError("no such overload");
  let position = 0n;
  for (const item of isList(range) ? range : range.keys()) {
    charge(frame, 1);
    if (second === undefined) frame.slots[first] = item;
    else {
      frame.slots[first] = isList(range) ? position++ : item;
      frame.slots[second] = isList(range) ? item : range.get(item)!;
    }
    if (!visit(item)) return;
  }
}

/** As CEL specifies: an error on one item is ignored if another item decides the result. */
function quantify(each: Each, body: Compiled, frame: Frame, decisive: boolean): boolean {
  let settled = false;
  let fault: EvaluationError | undefined;
  each(frame, () => {
    try {
      settled = truth(body.run(frame)) === decisive;
    } catch (error) {
      if (!(error instanceof EvaluationError) || frame.budget < 0) throw error;
      fault ??= error;
    }
    return !settled;
  });
  if (settled) return decisive;
  if (fault) throw fault;
  return !decisive;
}

function countTrue(each: Each, body: Compiled, frame: Frame): number {
  let count = 0;
  each(frame, () => {
    if (truth(body.run(frame))) count++;
    return true;
  });
  return count;
}

/** The items that satisfy the predicate, transformed; `filter` has no transformation and keeps the items themselves. */
function collect(each: Each, predicate: Compiled | undefined, transform: Compiled | undefined, frame: Frame): Value[] {
  const kept: Value[] = [];
  each(frame, (item) => {
    if (!predicate || truth(predicate.run(frame))) kept.push(transform ? transform.run(frame) : item);
    return true;
  });
  return kept;
}

interface MapEntry {
  readonly predicate: Compiled | undefined;
  readonly keySlot: number;
  readonly transform: Compiled;
}

function collectMap(each: Each, { predicate, keySlot, transform }: MapEntry, frame: Frame): Map<Value, Value> {
  const kept = new Map<Value, Value>();
  each(frame, () => {
    if (!predicate || truth(predicate.run(frame))) kept.set(asKey(frame.slots[keySlot]!), transform.run(frame));
    return true;
  });
  return kept;
}

function has(node: MacroCall, scope: Scope, compile: Compile): Compiled {
  const [argument] = node.args;
  if (argument?.op !== "select") throw new CompileError("invalid argument to has() macro", node.at);
  const operand = compile(argument.operand, scope);
  fieldType(operand.type, argument.field, node.at);
  const { field } = argument;
  return {
    type: bool,
    run(frame) {
      const value = operand.run(frame);
      const held = value instanceof OptionalValue ? value.value : value;
      if (held === undefined) return false;
      if (!(held instanceof ObjectValue) && !isMap(held)) throw new EvaluationError("no such overload");
      return lookUp(held, field) !== undefined;
    },
  };
}

function isOptionalMap({ name, args }: MacroCall): boolean {
  return (name === "optMap" || name === "optFlatMap") && args.length === 2 && args[0]?.op === "identifier";
}

function optionalMap(node: MacroCall, scope: Scope, compile: Compile): Compiled {
  const target = compile(node.target!, scope);
  const inner = scope.inner();
  const [variable, body] = node.args;
  const slot = inner.declare(
    variable?.op === "identifier" ? variable.name : "",
    target.type.kind === "optional" ? target.type.of : dyn,
  );
  const result = compile(body!, inner);
  const flat = node.name === "optFlatMap";
  return {
    type: flat ? result.type : optional(result.type),
    run(frame) {
      const value = target.run(frame);
      if (!(value instanceof OptionalValue)) throw new EvaluationError("no such overload");
      if (value.value === undefined) return none;
      frame.slots[slot] = value.value;
      const mapped = result.run(frame);
      return flat ? mapped : new OptionalValue(mapped);
    },
  };
}

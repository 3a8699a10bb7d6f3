import { compilePattern, PatternError } from "../pattern.ts";
import { show } from "./library/conversions.ts";
import { charge } from "./frame.ts";
import { fieldType, lookUp, truth } from "./look-up.ts";
import { expandMacro, isMacro } from "./macro.ts";
import { accepts, type Overload, resultOf } from "./library/overload.ts";
import { uintOf } from "./library/operators.ts";
import type { Compiled, Scope } from "./scope.ts";
import { parseDuration, parseTimestamp } from "./time-value.ts";
import { CompileError, type LiteralValue, noOverload, type Node, undeclared, unexpected } from "./syntax.ts";
import {
  agree,
  bool,
  bytes,
  double,
  dyn,
  int,
  isDynamic,
  join,
  list,
  map,
  nullType,
  optional,
  showType,
  string,
  type Type,
  typeType,
  uint,
} from "./type.ts";
import { asKey, EvaluationError, isList, isMap, none, ObjectValue, OptionalValue, type Value } from "./value.ts";

const typeNames = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/** A fault is added to the scope, and the faulty part gets type `dyn`, so that a fault does not cause others. */
export function compile(node: Node, scope: Scope): Compiled {
  try {
    return compileNode(node, scope);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    scope.faults.push(error);
    return faulty;
  }
}

const faulty: Compiled = {
  type: dyn,
  run: () => {
    throw new EvaluationError("no such overload");
  },
};

function compileNode(node: Node, scope: Scope): Compiled {
  switch (node.op) {
    case "literal":
      return literal(node.value);
    case "identifier": {
      const variable = scope.find(node.name);
      if (variable) {
        const { slot, type } = variable;
        return { type, run: (frame) => frame.slots[slot]! };
      }
      if (!typeNames.includes(node.name)) throw undeclared(node.name, node.at);
      const value: Value = { tag: "type", name: node.name };
      return { type: typeType, run: () => value };
    }
    case "select":
      return select(node, scope);
    case "index":
      return index(node, scope);
    case "call":
      return call(node, scope);
    case "list":
      return listOf(node, scope);
    case "map":
      return mapOf(node, scope);
    case "conditional":
      return conditional(node, scope);
    default:
      return logical(node, scope);
  }
}

function literal(literalValue: LiteralValue): Compiled {
  if (literalValue.type === "null") return { type: nullType, run: () => null };
  const { type } = literalValue;
  const value: Value = type === "uint" ? uintOf(literalValue.value) : literalValue.value;
  return { type: { bool, int, uint, double, string, bytes }[type], run: () => value };
}

function select(node: Extract<Node, { op: "select" }>, scope: Scope): Compiled {
  // A variable's name may contain a dot, and takes precedence over a field of another variable.
  const whole = node.operand.op === "identifier" && scope.find(`${node.operand.name}.${node.field}`);
  if (whole) return { type: whole.type, run: (frame) => frame.slots[whole.slot]! };
  const operand = compile(node.operand, scope);
  const { field } = node;
  const { type, throughOptional } = fieldType(operand.type, field, node.at);
  if (node.optional || throughOptional)
    return { type: optional(type), run: (frame) => optionally(operand.run(frame), field) };
  return { type, run: (frame) => fieldOf(operand.run(frame), field) };
}

function fieldOf(value: Value, field: string): Value {
  const found = hasKeys(value) ? lookUp(value, field) : undefined;
  if (found === undefined) throw new EvaluationError(`no such key: ${field}`);
  return found;
}

const hasKeys = (value: Value): boolean => isMap(value) || value instanceof ObjectValue;

function optionally(value: Value, key: Value): Value {
  const held = value instanceof OptionalValue ? value.value : value;
  const found = held === undefined ? undefined : lookUp(held, key);
  return found === undefined ? none : new OptionalValue(found);
}

function index(node: Extract<Node, { op: "index" }>, scope: Scope): Compiled {
  const operand = compile(node.operand, scope);
  const at = compile(node.index, scope);
  const type = operand.type.kind === "optional" ? operand.type.of : operand.type;
  let item: Type;
  if (type.kind === "dyn") item = dyn;
  else if (type.kind === "list" && agree(at.type, int)) item = type.item;
  else if (type.kind === "map" && agree(at.type, type.key)) item = type.value;
  else throw noOverload("_[_]", `(${showType(type)}, ${showType(at.type)})`, node.at);
  if (node.optional || operand.type.kind === "optional")
    return { type: optional(item), run: (frame) => optionally(operand.run(frame), at.run(frame)) };
  return {
    type: item,
    run(frame) {
      const value = operand.run(frame);
      const key = at.run(frame);
      const found = hasKeys(value) || isList(value) ? lookUp(value, key) : undefined;
      if (found !== undefined) return found;
      throw new EvaluationError(isList(value) ? `index out of bounds: ${show(key)}` : `no such key: ${show(key)}`);
    },
  };
}

function listOf(node: Extract<Node, { op: "list" }>, scope: Scope): Compiled {
  const items = node.items.map((item) => compile(item, scope));
  const type = common(items, node.items);
  return {
    type: list(type),
    run(frame) {
      charge(frame, 1 + items.length);
      return items.map((item) => item.run(frame));
    },
  };
}

/** The arguments of `format` may differ in type, unlike the items of any other list. */
function mixedList(node: Extract<Node, { op: "list" }>, scope: Scope): Compiled {
  const items = node.items.map((item) => compile(item, scope));
  return { type: list(dyn), run: (frame) => items.map((item) => item.run(frame)) };
}

function mapOf(node: Extract<Node, { op: "map" }>, scope: Scope): Compiled {
  const keys = node.entries.map(([key]) => compile(key, scope));
  const values = node.entries.map(([, value]) => compile(value, scope));
  const keyType = common(
    keys,
    node.entries.map(([key]) => key),
  );
  const valueType = common(
    values,
    node.entries.map(([, value]) => value),
  );
  return {
    type: map(keyType, valueType),
    run(frame) {
      charge(frame, 1 + keys.length);
      const entries = new Map<Value, Value>();
      for (const [i, key] of keys.entries()) {
        entries.set(asKey(key.run(frame)), values[i]!.run(frame));
      }
      return entries;
    },
  };
}

function common(compiled: readonly Compiled[], nodes: readonly Node[]): Type {
  let type: Type = dyn;
  for (const [i, item] of compiled.entries()) {
    if (!agree(type, item.type)) throw unexpected(type, item.type, nodes[i]!.at);
    type = join(type, item.type);
  }
  return type;
}

function conditional(node: Extract<Node, { op: "conditional" }>, scope: Scope): Compiled {
  const condition = compile(node.condition, scope);
  const yes = compile(node.yes, scope);
  const no = compile(node.no, scope);
  if (!agree(condition.type, bool) || !agree(yes.type, no.type))
    throw noOverload("_?_:_", `(${showType(condition.type)}, ${showType(yes.type)}, ${showType(no.type)})`, node.at);
  return {
    type: join(yes.type, no.type),
    run: (frame) => (truth(condition.run(frame)) ? yes.run(frame) : no.run(frame)),
  };
}

/** As CEL specifies: an error on one side is ignored if the other side decides the result. */
function logical(node: Extract<Node, { op: "and" | "or" }>, scope: Scope): Compiled {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  if (!agree(left.type, bool) || !agree(right.type, bool))
    throw noOverload(node.op === "and" ? "_&&_" : "_||_", `(${showType(left.type)}, ${showType(right.type)})`, node.at);
  const decisive = node.op === "or";
  return {
    type: bool,
    run(frame) {
      let first: boolean;
      try {
        first = truth(left.run(frame));
      } catch (error) {
        if (!(error instanceof EvaluationError) || frame.budget < 0) throw error;
        if (truth(right.run(frame)) === decisive) return decisive;
        throw error;
      }
      return first === decisive ? decisive : truth(right.run(frame));
    },
  };
}

function call(node: Extract<Node, { op: "call" }>, scope: Scope): Compiled {
  if (isMacro(node)) return expandMacro(node, scope, compile);
  const namespaced = namespacedName(node, scope);
  const target = namespaced === undefined ? node.target : undefined;
  const name = namespaced ?? node.name;
  const overloads = scope.library.get(name)?.filter(({ member }) => member === (target !== undefined));
  if (!scope.library.has(name)) throw undeclared(node.name, node.at);
  const nodes = target ? [target, ...node.args] : node.args;
  const args = nodes.map((argument) =>
    name === "format" && argument.op === "list" ? mixedList(argument, scope) : compile(argument, scope),
  );
  const types = args.map(({ type }) => type);
  const fitting: { overload: Overload; result: Type }[] = [];
  for (const overload of overloads ?? []) {
    const result = resultOf(overload, types);
    if (result) fitting.push({ overload, result });
  }
  const [first] = fitting;
  if (!first) throw noOverload(name, appliedTo(types, target !== undefined), node.at);
  if (name === "matches") checkPattern(nodes[1]);
  if (name === "duration") checkLiteral(nodes[0], parseDuration, name);
  if (name === "timestamp") checkLiteral(nodes[0], parseTimestamp, name);
  const type = fitting.every(({ result }) => showType(result) === showType(first.result)) ? first.result : dyn;
  const certain = fitting.length === 1 && !types.some(isDynamic);
  return {
    type,
    run: certain
      ? direct(first.overload, args)
      : dispatched(
          fitting.map(({ overload }) => overload),
          args,
        ),
  };
}

function direct({ run }: Overload, args: readonly Compiled[]): Compiled["run"] {
  if (args.length === 2) {
    const [left, right] = args as [Compiled, Compiled];
    return (frame) => {
      charge(frame, 1);
      return run([left.run(frame), right.run(frame)], frame);
    };
  }
  return (frame) => {
    charge(frame, 1);
    return run(
      args.map((argument) => argument.run(frame)),
      frame,
    );
  };
}

function dispatched(overloads: readonly Overload[], args: readonly Compiled[]): Compiled["run"] {
  const [first] = overloads;
  return (frame) => {
    charge(frame, 1);
    const values = args.map((argument) => argument.run(frame));
    // Mostly there is one.
    const overload =
      first && accepts(first, values) ? first : overloads.find((candidate) => accepts(candidate, values));
    if (!overload) throw new EvaluationError("no such overload");
    return overload.run(values, frame);
  };
}

/** `sets.contains(…)` looks like a call on a variable, but `sets` is a namespace of the library. */
function namespacedName(node: Extract<Node, { op: "call" }>, scope: Scope): string | undefined {
  if (node.target?.op !== "identifier" || scope.find(node.target.name)) return undefined;
  const name = `${node.target.name}.${node.name}`;
  return scope.library.has(name) ? name : undefined;
}

function appliedTo(types: readonly Type[], member: boolean): string {
  const shown = types.map(showType);
  return member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
}

function checkLiteral(node: Node | undefined, parse: (text: string) => unknown, name: string): void {
  if (node?.op !== "literal" || node.value.type !== "string") return;
  if (parse(node.value.value) === undefined) throw new CompileError(`invalid ${name} argument`, node.at);
}

function checkPattern(node: Node | undefined): void {
  if (node?.op !== "literal" || node.value.type !== "string") return;
  try {
    compilePattern(node.value.value);
  } catch (error) {
    if (error instanceof PatternError) throw new CompileError("invalid matches argument", node.at);
    throw error;
  }
}

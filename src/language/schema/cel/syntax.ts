import { showType, type Type } from "./type.ts";

/** The tree of an expression. `at` is where an error about the node points. */
export type Node =
  | { op: "literal"; at: number; value: LiteralValue }
  | { op: "identifier"; at: number; name: string }
  | { op: "select"; at: number; operand: Node; field: string; optional: boolean }
  | { op: "index"; at: number; operand: Node; index: Node; optional: boolean }
  | { op: "call"; at: number; name: string; target: Node | undefined; args: Node[] }
  | { op: "list"; at: number; items: Node[] }
  | { op: "map"; at: number; entries: [key: Node, value: Node][] }
  | { op: "conditional"; at: number; condition: Node; yes: Node; no: Node }
  | { op: "and" | "or"; at: number; left: Node; right: Node };

export type LiteralValue =
  | { type: "null" }
  | { type: "bool"; value: boolean }
  | { type: "int" | "uint"; value: bigint }
  | { type: "double"; value: number }
  | { type: "string"; value: string }
  | { type: "bytes"; value: Uint8Array };

/** The direct children of a node. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.op) {
    case "literal":
    case "identifier":
      return [];
    case "select":
      return [node.operand];
    case "index":
      return [node.operand, node.index];
    case "call":
      return node.target ? [node.target, ...node.args] : node.args;
    case "list":
      return node.items;
    case "map":
      return node.entries.flat();
    case "conditional":
      return [node.condition, node.yes, node.no];
    default:
      return [node.left, node.right];
  }
}

/** A fault that compilation found in an expression. */
export class CompileError extends Error {
  readonly at: number;
  /** Further faults of the same expression. */
  readonly others: readonly CompileError[];

  constructor(message: string, at: number, others: readonly CompileError[] = []) {
    super(message);
    this.name = "CompileError";
    this.at = at;
    this.others = others;
  }
}

export function undeclared(name: string, at: number): CompileError {
  return new CompileError(`undeclared reference to '${name}' (in container '')`, at);
}

export function noOverload(name: string, applied: string, at: number): CompileError {
  return new CompileError(`found no matching overload for '${name}' applied to '${applied}'`, at);
}

export function unexpected(expected: Type, found: Type, at: number): CompileError {
  return new CompileError(`expected type '${showType(expected)}' but found '${showType(found)}'`, at);
}

/** Each fault with its line and a mark under its column, as cel-go prints them. */
export function showError(error: CompileError, source: string): string {
  return [error, ...error.others].map((fault) => showFault(fault, source)).join("\n");
}

function showFault(error: CompileError, source: string): string {
  const before = source.slice(0, error.at);
  const line = before.split("\n").length;
  const start = before.lastIndexOf("\n") + 1;
  const end = source.indexOf("\n", error.at);
  const column = Array.from(source.slice(start, error.at)).length;
  const text = source.slice(start, end < 0 ? undefined : end);
  return `ERROR: <input>:${line}:${column + 1}: ${error.message}\n | ${text}\n | ${".".repeat(column)}^`;
}

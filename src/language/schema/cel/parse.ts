import { CompileError, type LiteralValue, type Node, partsOf } from "./syntax.ts";
import { type Token, tokenize } from "./token.ts";

const longestSource = 100_000;
const deepest = 200;
/** A chain of operators nests as deep as parentheses would, but long conditions are common: its limit is higher. */
const longestChain = 1000;
/** Limits chains within parentheses within chains: functions that recurse over the tree must not overflow the stack. */
const deepestTree = 1500;
const expected =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const relations = new Set(["<", "<=", ">", ">=", "==", "!=", "in"]);
const reserved = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

/** Parses an expression. Throws a CompileError at the first syntax error. */
export function parse(source: string): Node {
  if (source.length > longestSource) throw new CompileError("expression is too long", 0);
  const parser = new Parser(tokenize(source));
  const node = parser.expression();
  parser.expectEnd();
  checkTree(node);
  return node;
}

function checkTree(root: Node): void {
  let level: readonly Node[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestTree) throw new CompileError("expression recursion limit exceeded", root.at);
    level = level.flatMap(partsOf);
  }
}

class Parser {
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  expectEnd(): void {
    const token = this.#peek();
    if (token.type !== "end")
      throw new CompileError(`Syntax error: extraneous input '${token.text}' expecting <EOF>`, token.at);
  }

  expression(): Node {
    if (++this.#depth > deepest) throw new CompileError("expression recursion limit exceeded", this.#peek().at);
    let node = this.#or();
    const question = this.#take("?");
    if (question) {
      const yes = this.#or();
      this.#expect(":");
      node = { op: "conditional", at: question.at, condition: node, yes, no: this.expression() };
    }
    this.#depth--;
    return node;
  }

  #or(): Node {
    let left = this.#and();
    let length = 0;
    for (let token = this.#take("||"); token; token = this.#take("||")) {
      checkChain(++length, token.at);
      left = { op: "or", at: token.at, left, right: this.#and() };
    }
    return left;
  }

  #and(): Node {
    let left = this.#relation();
    let length = 0;
    for (let token = this.#take("&&"); token; token = this.#take("&&")) {
      checkChain(++length, token.at);
      left = { op: "and", at: token.at, left, right: this.#relation() };
    }
    return left;
  }

  #relation(): Node {
    return this.#binary(relations, () =>
      this.#binary(additive, () => this.#binary(multiplicative, () => this.#unary())),
    );
  }

  #binary(operators: ReadonlySet<string>, operand: () => Node): Node {
    let left = operand();
    for (let length = 1; ; length++) {
      const token = this.#peek();
      if (token.type !== "symbol" || !operators.has(token.text)) return left;
      checkChain(length, token.at);
      this.#next++;
      const name = token.text === "in" ? "@in" : `_${token.text}_`;
      left = { op: "call", at: token.at, name, target: undefined, args: [left, operand()] };
    }
  }

  #unary(): Node {
    const signs: Token[] = [];
    for (let sign = this.#take("!") ?? this.#take("-"); sign; sign = this.#take("!") ?? this.#take("-")) {
      if (signs.length > deepest) throw new CompileError("expression recursion limit exceeded", sign.at);
      signs.push(sign);
    }
    let node: Node;
    const literal = this.#peek();
    const inner = signs.at(-1);
    if (inner?.text === "-" && literal.type === "literal" && isSigned(literal.value)) {
      // The minus is part of the literal: the smallest int64 has no positive counterpart.
      this.#next++;
      signs.pop();
      node = this.#members({ op: "literal", at: inner.at, value: negated(literal.value) });
    } else node = this.#member();
    checkRange(node);
    for (const sign of signs.toReversed())
      node = { op: "call", at: sign.at, name: `${sign.text}_`, target: undefined, args: [node] };
    return node;
  }

  #member(): Node {
    return this.#members(this.#primary());
  }

  #members(start: Node): Node {
    let node = start;
    for (let count = 0; ; count++) {
      if (count > deepest) throw new CompileError("expression recursion limit exceeded", node.at);
      const dot = this.#take(".");
      if (dot) {
        const optional = this.#take("?") !== undefined;
        const name = this.#peek();
        if (name.type !== "identifier")
          throw new CompileError(`Syntax error: no viable alternative at input '.${name.text}'`, name.at);
        this.#next++;
        const open = optional ? undefined : this.#take("(");
        node = open
          ? { op: "call", at: open.at, name: name.text, target: node, args: this.#list(")") }
          : { op: "select", at: dot.at, operand: node, field: name.text, optional };
        continue;
      }
      const bracket = this.#take("[");
      if (!bracket) return node;
      const optional = this.#take("?") !== undefined;
      const index = this.expression();
      this.#expect("]");
      node = { op: "index", at: bracket.at, operand: node, index, optional };
    }
  }

  #primary(): Node {
    const token = this.#peek();
    this.#next++;
    if (token.type === "literal") return { op: "literal", at: token.at, value: token.value };
    if (token.type === "identifier") {
      if (reserved.has(token.text))
        throw new CompileError(`Syntax error: reserved identifier: ${token.text}`, token.at);
      const open = this.#take("(");
      if (open) return { op: "call", at: open.at, name: token.text, target: undefined, args: this.#list(")") };
      return { op: "identifier", at: token.at, name: token.text };
    }
    if (token.text === "(") {
      const node = this.expression();
      this.#expect(")");
      return node;
    }
    if (token.text === "[") return { op: "list", at: token.at, items: this.#list("]") };
    if (token.text === "{") return { op: "map", at: token.at, entries: this.#entries() };
    throw new CompileError(`Syntax error: mismatched input '${token.text}' expecting ${expected}`, token.at);
  }

  #list(close: string): Node[] {
    const items: Node[] = [];
    while (!this.#take(close)) {
      items.push(this.expression());
      if (this.#take(close)) break;
      this.#expect(",");
    }
    return items;
  }

  #entries(): [Node, Node][] {
    const entries: [Node, Node][] = [];
    while (!this.#take("}")) {
      const key = this.expression();
      this.#expect(":");
      entries.push([key, this.expression()]);
      if (this.#take("}")) break;
      this.#expect(",");
    }
    return entries;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#tokens.at(-1)!;
  }

  #take(symbol: string): Token | undefined {
    const token = this.#peek();
    if (token.type !== "symbol" || token.text !== symbol) return undefined;
    this.#next++;
    return token;
  }

  #expect(symbol: string): void {
    if (this.#take(symbol)) return;
    const token = this.#peek();
    throw new CompileError(`Syntax error: mismatched input '${token.text}' expecting '${symbol}'`, token.at);
  }
}

const additive = new Set(["+", "-"]);
const multiplicative = new Set(["*", "/", "%"]);

function checkChain(length: number, at: number): void {
  if (length > longestChain) throw new CompileError("expression recursion limit exceeded", at);
}

function isSigned(value: LiteralValue): boolean {
  return value.type === "int" || value.type === "double";
}

function negated(value: LiteralValue): LiteralValue {
  if (value.type === "int") return { type: "int", value: -value.value };
  return value.type === "double" ? { type: "double", value: -value.value } : value;
}

function checkRange(node: Node): void {
  if (node.op === "literal" && node.value.type === "int" && node.value.value > 2n ** 63n - 1n)
    throw new CompileError("invalid int literal", node.at);
}

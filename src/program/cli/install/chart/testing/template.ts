/** The part of Go's templates that the chart uses, with the functions that Helm adds. It throws for everything else. */

export interface TemplateData {
  readonly Values: Readonly<Record<string, unknown>>;
  readonly Release: { readonly Name: string; readonly Namespace: string };
  readonly Capabilities: {
    readonly KubeVersion: { readonly Version: string };
    readonly APIVersions: { readonly Has: (name: string) => boolean };
  };
  /** What `lookup` finds: `Kind name` → object. */
  readonly objects: Readonly<Record<string, object>>;
}

type Part = { readonly type: "text"; readonly text: string } | { readonly type: "action"; readonly words: string[] };

export function rendered(template: string, data: TemplateData): string {
  const parts = partsOf(template);
  const variables = new Map<string, unknown>();
  const evaluate = (words: readonly string[]): unknown => new Expression([...words], data, variables).value();
  let at = 0;
  /** Renders up to the `else` or `end` of this block, which it leaves to the caller. */
  const block = (isShown: boolean): string => {
    let out = "";
    for (; at < parts.length; at++) {
      const part = parts[at]!;
      if (part.type === "text") {
        if (isShown) out += part.text;
        continue;
      }
      const [word = "", ...rest] = part.words;
      if (word === "end" || word === "else") return out;
      if (word === "if") out += branches(rest, isShown);
      else if (rest[0] === ":=") variables.set(word, isShown ? evaluate(rest.slice(1)) : undefined);
      else if (isShown) out += String(evaluate(part.words));
    }
    return out;
  };
  const branches = (condition: readonly string[], isShown: boolean): string => {
    let isOpen = isShown;
    let out = "";
    for (let words: readonly string[] | undefined = condition; words;) {
      const isTaken = isOpen && (words.length === 0 || isTrue(evaluate(words)));
      at++;
      out += block(isTaken);
      if (isTaken) isOpen = false;
      const end = parts[at];
      if (end?.type !== "action") throw new Error("a block without an end");
      words = end.words[0] === "else" ? end.words.slice(end.words[1] === "if" ? 2 : 1) : undefined;
    }
    return out;
  };
  const out = block(true);
  if (at < parts.length) throw new Error("an end without a block");
  return out;
}

function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  let trimsNext = false;
  const text = (raw: string): void => void parts.push({ type: "text", text: trimsNext ? raw.trimStart() : raw });
  let end = 0;
  for (const { 0: whole, 1: left, 2: body = "", 3: right, index } of template.matchAll(
    /\{\{(- )?\s*((?:"[^"]*"|[^"}])*?)\s*( -)?\}\}/g,
  )) {
    const before = template.slice(end, index);
    text(left ? before.trimEnd() : before);
    trimsNext = right !== undefined;
    parts.push({ type: "action", words: body.match(/"[^"]*"|[()|]|[^\s()|]+/g) ?? [] });
    end = index + whole.length;
  }
  text(template.slice(end));
  return parts;
}

function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value) && JSON.stringify(value) !== "{}";
}

class Expression {
  readonly #words: string[];
  readonly #data: TemplateData;
  readonly #variables: ReadonlyMap<string, unknown>;

  constructor(words: string[], data: TemplateData, variables: ReadonlyMap<string, unknown>) {
    this.#words = words;
    this.#data = data;
    this.#variables = variables;
  }

  /** A call, and what is piped through further calls. */
  value(): unknown {
    let value = this.#call([]);
    while (this.#words[0] === "|") {
      this.#words.shift();
      value = this.#call([value]);
    }
    return value;
  }

  #call(piped: readonly unknown[]): unknown {
    const head = this.#operand();
    const given: unknown[] = [];
    while (this.#words.length > 0 && this.#words[0] !== ")" && this.#words[0] !== "|") given.push(this.#operand());
    if (typeof head === "function") return (head as (...args: unknown[]) => unknown)(...given, ...piped);
    if (given.length + piped.length > 0) throw new Error(`not a function: ${JSON.stringify(head)}`);
    return head;
  }

  #operand(): unknown {
    const word = this.#words.shift() ?? "";
    if (word === "(") {
      const value = this.value();
      if (this.#words.shift() !== ")") throw new Error("a parenthesis is not closed");
      return value;
    }
    if (word.startsWith('"')) return JSON.parse(word);
    if (word.startsWith("$")) return this.#variables.get(word);
    if (!word.startsWith(".")) return functionOf(word, this.#data);
    const found = word
      .slice(1)
      .split(".")
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], this.#data);
    if (found === undefined) throw new Error(`no value: ${word}`);
    return found;
  }
}

function functionOf(name: string, { objects }: TemplateData): unknown {
  const functions: Record<string, (...args: never[]) => unknown> = {
    eq: (a, b) => a === b,
    and: (...all: unknown[]) => all.find((one) => !isTrue(one)) ?? all.at(-1),
    or: (...all: unknown[]) => all.find(isTrue) ?? all.at(-1),
    not: (value: unknown) => !isTrue(value),
    empty: (value: unknown) => !isTrue(value),
    toString: (value: unknown) => String(value),
    quote: (value: unknown) => JSON.stringify(String(value)),
    lookup: (_version: string, kind: string, _namespace: string, named: string) => objects[`${kind} ${named}`] ?? {},
    dig: (...args: unknown[]) => {
      const [keys, fallback, from] = [args.slice(0, -2), args.at(-2), args.at(-1)];
      return (
        keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key as string], from) ??
        fallback
      );
    },
    semverCompare: (range: string, version: string) => minor(version) >= minor(range),
  };
  const found = functions[name];
  if (!found) throw new Error(`no such function: ${name}`);
  return found;
}

/** 30 of `v1.30.2` and of `>=1.30-0`. */
function minor(version: string): number {
  return Number(/1\.(\d+)/.exec(version)?.[1]);
}

import { type Budget, longestInsertion, longestText, newBudget } from "./budget.ts";
import { builtIns } from "./functions/catalogue.ts";
import type { Called } from "./functions/built-in.ts";
import { type Answers, type Probe, probeKey } from "./probe.ts";
import type { Notice } from "./problem.ts";

export interface ExpandContext {
  readonly variables: ReadonlyMap<string, string>;
  readonly answers: Answers;
  /** A file of variables is still unread, so an undefined name may become defined. */
  readonly incomplete?: boolean;
  readonly budget?: Budget;
}

/** `text`: expanded as far as possible; calls whose answers are missing stay as they are written. */
export interface Expansion {
  readonly text: string;
  readonly probes: readonly Probe[];
  readonly problems: readonly string[];
  readonly notices: readonly Pick<Notice, "level" | "message">[];
  /** Why the text may not be used: a program that it depends on may not be run. */
  readonly refused?: string | undefined;
}

/** `${name}` first, then `${f:function:argument}`, each in one pass, as TuneD does at load and at apply. */
export function expand(text: string, context: ExpandContext): Expansion {
  if (!text.includes("$") && !text.includes("}")) return { text, probes: [], problems: [], notices: [] };
  const budget = context.budget ?? newBudget();
  const inserted = insertVariables(text, context.variables, budget);
  if (inserted === undefined) return tooLong(text, longestInsertion);
  return new CallScanner(inserted, { ...context, budget }).expansion();
}

function tooLong(text: string, longest = longestText): Expansion {
  const problem = `${JSON.stringify(text.slice(0, 80))} expands to more than the ${longest} characters that are allowed`;
  return { text, probes: [], problems: [problem], notices: [] };
}

const reference = /\\?\$\{([\p{L}\p{N}_]+)\}/gu;
const escapedReference = /\\(\$\{[\p{L}\p{N}_]+\})/gu;

/**
 * Inserted text is not scanned again, an undefined name stays as it is written, and a backslash escapes a reference.
 * Afterwards every such backslash is removed, inserted ones too.
 */
function insertVariables(text: string, variables: ReadonlyMap<string, string>, budget: Budget): string | undefined {
  let inserted = "";
  let end = 0;
  for (const match of text.matchAll(reference)) {
    const value = match[0].startsWith("\\") ? undefined : variables.get(match[1] ?? "");
    if (value === undefined) continue;
    inserted += text.slice(end, match.index) + value;
    end = match.index + match[0].length;
    if (inserted.length > longestInsertion) return undefined;
  }
  inserted += text.slice(end);
  if (!(end > 0 ? budget.insert(inserted.length) : budget.write(inserted.length))) return undefined;
  return inserted.replace(escapedReference, "$1");
}

/** No profile nests calls this deep. */
const deepest = 100;

interface Frame {
  /** The text from `${` on, inner calls expanded. The outermost frame holds the text outside of all calls. */
  text: string;
  escaped: boolean;
  /** An answer that the text depends on is missing. */
  pending: boolean;
}

/** Expands innermost calls first; a result becomes part of the outer call's text and is not scanned for calls. */
class CallScanner {
  readonly #text: string;
  readonly #context: ExpandContext & { readonly budget: Budget };
  readonly #probes: Probe[] = [];
  readonly #problems: string[] = [];
  readonly #notices: Pick<Notice, "level" | "message">[] = [];
  #refused: string | undefined;
  readonly #outermost: Frame = { text: "", escaped: false, pending: false };
  readonly #open: Frame[] = [];

  constructor(text: string, context: ExpandContext & { readonly budget: Budget }) {
    this.#text = text;
    this.#context = context;
  }

  expansion(): Expansion {
    const text = withoutEscapes(this.#scan());
    return { text, probes: this.#probes, problems: this.#problems, notices: this.#notices, refused: this.#refused };
  }

  #scan(): string {
    let end = 0;
    let afterBackslash = false;
    for (const { 0: bracket, index } of this.#text.matchAll(/\$\{|\}/g)) {
      const between = this.#text.slice(end, index);
      this.#top().text += between;
      if (between !== "") afterBackslash = between.endsWith("\\");
      end = index + bracket.length;
      if (bracket === "${") {
        if (this.#open.length >= deepest) return this.#refuse(`more than ${deepest} calls within one another`);
        this.#open.push({ text: bracket, escaped: afterBackslash, pending: false });
        afterBackslash = false;
        continue;
      }
      const frame = this.#open.pop();
      // TuneD stops here: the rest of the text stays unexpanded (Q6).
      if (!frame) {
        this.#error(`invalid variable syntax, non pair '}' in: '${this.#text}'`);
        return this.#outermost.text + this.#text.slice(index);
      }
      const result = this.#close(frame);
      const outer = this.#top();
      outer.text += result;
      if (frame.pending) outer.pending = true;
      if (outer.text.length > longestText) return this.#refuse(...tooLong(this.#text).problems);
      afterBackslash = result.endsWith("\\");
    }
    this.#top().text += this.#text.slice(end);
    if (this.#open.length > 0) this.#error(`invalid variable syntax, non pair '{' in: '${this.#text}'`);
    return this.#outermost.text + this.#open.map(({ text }) => text).join("");
  }

  #top(): Frame {
    return this.#open.at(-1) ?? this.#outermost;
  }

  /** The replacement for `${…}`. */
  #close(frame: Frame): string {
    const written = `${frame.text}}`;
    if (frame.escaped) return written;
    if (frame.text !== "${f" && !frame.text.startsWith("${f:")) {
      if (this.#context.incomplete && /^\$\{[\p{L}\p{N}_]+$/u.test(frame.text)) frame.pending = true;
      return written;
    }
    if (frame.pending) return written;
    const called = this.#call(splitArguments(frame.text.slice("${f:".length)));
    if (called.type === "text") {
      if (this.#context.budget.write(called.text.length)) return called.text;
      this.#problems.push(...tooLong(this.#text).problems);
    } else if (called.type === "needs") {
      frame.pending = true;
      for (const probe of called.probes) this.#probes.push(probe);
    } else if (called.type === "refused") {
      frame.pending = true;
      this.#refused ??= called.message;
    } else if (called.type === "invalid") this.#problems.push(called.message);
    return written;
  }

  #call([name = "", ...args]: string[]): Called {
    const { answers, budget } = this.#context;
    if (!/^[\p{L}\p{N}_]+$/u.test(name)) return this.#error(`invalid function name '${name}'`);
    const builtIn = builtIns.get(name);
    if (!builtIn) return this.#error(`function '${name}' not implemented`);
    if (args.length < builtIn.least || args.length > builtIn.most)
      return this.#error(`invalid number of arguments for builtin function '${name}'`);
    return builtIn.call(args, {
      answer: (probe) => answers.get(probeKey(probe)),
      notice: (level, message) => this.#notices.push({ level, message }),
      budget,
    });
  }

  #error(message: string): Called {
    this.#notices.push({ level: "error", message: message.length > 500 ? `${message.slice(0, 500)}…` : message });
    return { type: "verbatim" };
  }

  #refuse(...problems: readonly string[]): string {
    this.#problems.push(...problems);
    return this.#text;
  }
}

/** `:` separates; `\:` is a colon. */
function splitArguments(text: string): string[] {
  return text.split(/(?<!\\):/).map((argument) => argument.replaceAll("\\:", ":"));
}

/** The first `\${f:` of a line loses its backslash if a `}` follows: TuneD matches greedily up to the last `}`. */
function withoutEscapes(text: string): string {
  const escaped = "\\${f:";
  if (!text.includes(escaped)) return text;
  return text
    .split("\n")
    .map((line) => {
      const at = line.indexOf(escaped);
      return at < 0 || line.lastIndexOf("}") < at ? line : line.slice(0, at) + line.slice(at + 1);
    })
    .join("\n");
}

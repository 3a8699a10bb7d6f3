import { type Answers, type Probe, probeKey } from "./probe.ts";

export interface ExpandContext {
  readonly variables: ReadonlyMap<string, string>;
  readonly answers: Answers;
}

export type Expansion =
  | { type: "text"; text: string }
  | { type: "needs"; probe: Probe }
  | { type: "invalid"; message: string };

/** `${name}` first, then `${f:function:argument}`, each in one pass, as TuneD does at load and at apply. */
export function expand(text: string, context: ExpandContext): Expansion {
  if (!text.includes("${")) return { type: "text", text };
  return expandFunctions(expandVariables(text, context.variables), context.answers);
}

const reference = /\\?\$\{(\w+)\}/g;
const escapedReference = /\\(\$\{\w+\})/g;

/**
 * What was inserted is not looked at again, an undefined name stays as it is written, and a backslash keeps a reference
 * from being one; afterwards every such backslash goes, inserted ones too.
 */
function expandVariables(text: string, variables: ReadonlyMap<string, string>): string {
  const inserted = text.replace(reference, (match: string, name: string) =>
    match.startsWith("\\") ? match : (variables.get(name) ?? match),
  );
  return inserted.replace(escapedReference, "$1");
}

/** Innermost calls first; a result is part of the outer call's text but is not read as a call itself. */
function expandFunctions(text: string, answers: Answers): Expansion {
  const open: { at: number; escaped: boolean }[] = [];
  let result = "";
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "$" && text[i + 1] === "{") {
      open.push({ at: result.length, escaped: text[i - 1] === "\\" });
      result += "${";
      i++;
      continue;
    }
    result += character;
    if (character !== "}") continue;
    const start = open.pop();
    if (!start) return { type: "invalid", message: `"}" without "\${" in ${JSON.stringify(text)}` };
    const call = result.slice(start.at);
    if (!call.startsWith("${f:") || start.escaped) continue;
    const value = evaluate(call, answers);
    if (value.type !== "text") return value;
    result = result.slice(0, start.at) + value.text;
  }
  if (open.length > 0) return { type: "invalid", message: `"\${" without "}" in ${JSON.stringify(text)}` };
  return { type: "text", text: result.replaceAll("\\${f:", "${f:") };
}

function evaluate(call: string, answers: Answers): Expansion {
  const [name = "", ...argv] = splitArguments(call.slice("${f:".length, -1));
  if (name !== "exec") return { type: "invalid", message: `function ${JSON.stringify(name)} is not supported` };
  if (argv.length === 0) return { type: "invalid", message: "function exec needs a program" };
  const probe: Probe = { type: "exec", argv };
  const answer = answers.get(probeKey(probe));
  if (!answer) return { type: "needs", probe };
  return { type: "text", text: answer.type === "text" ? answer.text : call };
}

/** `:` separates; `\:` is a colon. */
function splitArguments(text: string): string[] {
  return text.split(/(?<!\\):/).map((argument) => argument.replaceAll("\\:", ":"));
}

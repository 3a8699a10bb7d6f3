import { SelectorError } from "./label-selector.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly op: "=" | "!=";
  readonly value: string;
}

/** Reads `metadata.name=a,spec.nodeName!=b`. In a value, a backslash escapes `,`, `=` and itself. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).toSorted()) {
    if (term === "") continue;
    const found = findOperator(term);
    if (!found) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const { at, operator } = found;
    requirements.push({
      field: term.slice(0, at),
      op: operator === "!=" ? "!=" : "=",
      value: unescape(term.slice(at + operator.length)),
    });
  }
  return requirements;
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function findOperator(term: string): { at: number; operator: string } | undefined {
  for (let at = 0; at < term.length; at++) {
    for (const operator of ["!=", "==", "="]) if (term.startsWith(operator, at)) return { at, operator };
  }
  return undefined;
}

function unescape(value: string): string {
  if (!/[\\,=]/.test(value)) return value;
  let result = "";
  for (let i = 0; i < value.length; i++) {
    const character = value.charAt(i);
    if (character === "\\") {
      const next = value.charAt(++i);
      if (next !== "\\" && next !== "," && next !== "=")
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`);
      result += next;
    } else if (character === "," || character === "=") {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else result += character;
  }
  return result;
}

import type { Problem } from "../problem.ts";

export interface ParsedSection {
  readonly name: string;
  readonly line: number;
  readonly options: readonly ParsedOption[];
}

export interface ParsedOption {
  readonly key: string;
  readonly value: string;
  readonly line: number;
  /** Earlier values of the option in the same section of the same file. */
  readonly earlier: readonly { readonly value: string; readonly line: number }[];
}

export interface ParsedIni {
  readonly sections: readonly ParsedSection[];
  readonly problems: readonly Problem[];
}

export interface IniRules {
  /** Options before the first section are allowed and belong to a section of this name. */
  readonly headless?: string;
  /** A word without `=` is ignored instead of being a problem. */
  readonly bareKeys?: boolean;
}

/** Real profiles are far smaller; the limit keeps a hostile one from occupying a node. */
const largestText = 1024 * 1024;

interface OpenSection {
  name: string;
  line: number;
  options: Map<string, OpenOption>;
}

interface OpenOption {
  lines: string[];
  line: number;
  earlier: { value: string; line: number }[];
}

/**
 * Reads what Python's configparser reads with TuneD's settings: `=` alone separates, `#` after a blank starts a comment,
 * `;` only at the start of a line, deeper indentation continues a value, repeated sections and options merge.
 */
export function parseIni(text: string, file: string, rules: IniRules = {}): ParsedIni {
  if (text.length > largestText)
    return { sections: [], problems: [{ message: `larger than ${largestText} characters`, file }] };

  const sections = new Map<string, OpenSection>();
  const problems: Problem[] = [];
  let section: OpenSection | undefined;
  if (rules.headless !== undefined) section = openSection(sections, rules.headless, 1);
  let option: OpenOption | undefined;
  let indentation = 0;

  let number = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    number++;
    const comment = commentStart(line);
    const content = (comment < 0 ? line : line.slice(0, comment)).trim();
    if (content === "") {
      if (comment < 0) option?.lines.push("");
      continue;
    }
    const indented = line.length - line.trimStart().length;
    if (option && indented > indentation) {
      option.lines.push(content);
      continue;
    }
    indentation = indented;
    const header = headerOf(content);
    if (header !== undefined) {
      option = undefined;
      section = openSection(sections, header, number);
      continue;
    }
    if (!section) {
      problems.push({ message: "option before the first section", file, line: number });
      break;
    }
    const equals = content.indexOf("=");
    const key = content.slice(0, Math.max(equals, 0)).trimEnd();
    if (key !== "") {
      option = openOption(section, key, content.slice(equals + 1).trim(), number);
      continue;
    }
    option = undefined;
    if (rules.bareKeys && equals < 0) section.options.delete(content);
    else problems.push({ message: `expected "key = value", found ${quoted(content)}`, file, line: number });
    if (problems.length >= mostProblems) break;
  }
  return { sections: withDefaults([...sections.values()].map(close)), problems };
}

/** A bound: a file that is no profile has a problem on every line. */
const mostProblems = 20;

function quoted(content: string): string {
  return JSON.stringify(content.slice(0, 80));
}

/** A line that starts with `#` or `;` is a comment; further on, only `#` after a blank is. */
function commentStart(line: string): number {
  const first = line.trimStart()[0];
  if (first === "#" || first === ";") return 0;
  for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1))
    if (line.charAt(at - 1).trim() === "") return at;
  return -1;
}

/** From the first `[` to the last `]`: a name may itself contain brackets. */
function headerOf(content: string): string | undefined {
  const end = content.lastIndexOf("]");
  return content.startsWith("[") && end > 1 ? content.slice(1, end) : undefined;
}

function openSection(sections: Map<string, OpenSection>, name: string, line: number): OpenSection {
  let section = sections.get(name);
  if (!section) {
    section = { name, line, options: new Map() };
    sections.set(name, section);
  }
  return section;
}

/** A repeated option keeps its first position and takes the last value. */
function openOption(section: OpenSection, key: string, value: string, line: number): OpenOption {
  const before = section.options.get(key);
  if (before) {
    before.earlier.push({ value: joined(before), line: before.line });
    before.lines = [value];
    before.line = line;
    return before;
  }
  const option: OpenOption = { lines: [value], line, earlier: [] };
  section.options.set(key, option);
  return option;
}

function close({ name, line, options }: OpenSection): ParsedSection {
  return {
    name,
    line,
    options: [...options].map(([key, option]) => ({
      key,
      value: joined(option),
      line: option.line,
      earlier: option.earlier,
    })),
  };
}

function joined({ lines }: OpenOption): string {
  return lines.join("\n").trimEnd();
}

/** Options of `[DEFAULT]` belong to every other section, after its own options. */
function withDefaults(sections: ParsedSection[]): ParsedSection[] {
  const defaults = sections.find(({ name }) => name === "DEFAULT");
  if (!defaults) return sections;
  return sections
    .filter((section) => section !== defaults)
    .map((section) => {
      const own = new Set(section.options.map(({ key }) => key));
      return { ...section, options: [...section.options, ...defaults.options.filter(({ key }) => !own.has(key))] };
    });
}

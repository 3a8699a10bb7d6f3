import { expand, type ExpandContext } from "./expand.ts";
import type { Findings } from "./findings.ts";
import { parseIni } from "./text/ini.ts";
import { over } from "./chain/merge.ts";
import { normalPath } from "./chain/path.ts";
import { type Probe, probeKey } from "./probe.ts";
import { isTrue, placeOf, type Section, type Setting } from "./unit.ts";

/**
 * Merges a section of variables into the inherited ones. An existing name keeps its position, so that variables after it
 * see the new value; with `prepend`, new names are put before all others.
 */
export function mergeVariables(inherited: ReadonlyMap<string, Setting>, change: Section): Map<string, Setting> {
  const before = isTrue(change.attributes.get("replace")?.value) ? new Map<string, Setting>() : inherited;
  const merged = new Map<string, Setting>();
  const prepended = isTrue(change.attributes.get("prepend")?.value);
  if (prepended) for (const [name, setting] of change.options) if (!before.has(name)) merged.set(name, setting);
  for (const [name, setting] of before) merged.set(name, setting);
  for (const [name, setting] of change.options) merged.set(name, over(before.get(name), setting));
  return merged;
}

export interface Definitions {
  readonly variables: ReadonlyMap<string, string>;
  /** Variables without a value, since a program may not be run. Their texts make what depends on them unusable too. */
  readonly refused: ReadonlySet<string>;
  /** Files of variables that the node has not been asked for yet. */
  readonly unread: readonly Probe[];
}

export interface DefineInput {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly context: Omit<ExpandContext, "variables">;
  /** Files that come with profiles, for nodes that do not have them. */
  readonly files: ReadonlyMap<string, string>;
}

/** Defines variables in order: a value sees only those before it. */
export function defineVariables({ settings, context, files }: DefineInput, findings: Findings): Definitions {
  const variables = new Map<string, string>();
  const refused = new Set<string>();
  const unread: Probe[] = [];

  function define(name: string, value: string, place: { file: string; line: number }): void {
    if (!/^[\p{L}\p{N}_]+$/u.test(name)) {
      findings.notice({
        ...place,
        level: "error",
        message: `variable definition '${name}' contains unallowed characters`,
      });
      return;
    }
    const expansion = expand(value, { ...context, variables, incomplete: context.incomplete || unread.length > 0 });
    variables.set(name, findings.take(expansion, place));
    if (expansion.refused === undefined) refused.delete(name);
    else {
      refused.add(name);
      findings.refuse(`[variables] ${name} is not set`, expansion.refused, place);
    }
  }

  function include(path: string, place: { file: string; line: number }): void {
    const probe: Probe = { type: "file", path };
    const answer = context.answers.get(probeKey(probe));
    const text = answer?.type === "text" ? answer.text : answer && files.get(path);
    if (!answer) unread.push(probe);
    else if (text === undefined)
      findings.notice({ ...place, level: "error", message: `unable to find variables_file: '${path}'` });
    else {
      const { sections, problems } = parseIni(text, path, { headless: "", bareKeys: true });
      const [problem] = problems;
      if (problem)
        findings.notice({
          ...problem,
          level: "error",
          message: `error parsing variables_file: '${path}': ${problem.message}`,
        });
      else
        for (const section of sections)
          for (const { key, value, line } of section.options) define(key, value, { file: path, line });
    }
  }

  for (const [name, setting] of settings) {
    const place = placeOf(setting);
    if (name === "include") include(normalPath(setting.value), place);
    // TuneD turns a list of scripts into text as Python prints a list.
    else define(name, setting.list ? `[${setting.list.map(pythonText).join(", ")}]` : setting.value, place);
  }
  return { variables, refused, unread };
}

function pythonText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}'`;
}

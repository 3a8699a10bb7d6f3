import { parseIni, type ParsedOption } from "./text/ini.ts";
import { type Answer, type Answers, distinctProbes, type Probe, probeKey } from "./probe.ts";
import type { Notice, Problem } from "./problem.ts";
import { chassisNames } from "./chassis-names.ts";
import { compilePython, type PatternFlags } from "./pattern/python-pattern.ts";

/** TuneD's files with rules that name the profile for a machine. */
export interface RecommendFiles {
  /** `recommend.conf`: its rules are tried first. */
  readonly file?: string | undefined;
  /** Folders of such files, by name: a file of a later folder replaces one of the same name. */
  readonly folders: readonly RecommendFolder[];
}

export interface RecommendFolder {
  readonly path: string;
  readonly files: ReadonlyMap<string, string>;
}

export type Recommendation =
  /** `from`: the file and line that name the profile; none for the profile that TuneD falls back to. */
  | { type: "recommended"; profile: string; from?: string; warnings: Notice[] }
  | { type: "needs"; probes: Probe[] }
  | { type: "invalid"; problems: Problem[] };

export const recommendFile = "/etc/tuned/recommend.conf";
const otherwise = "balanced";

export interface Asked {
  readonly answers: Answers;
  /** Without root, TuneD does not ask virt-what, and rules about `virt` never match. Default true. */
  readonly root?: boolean | undefined;
}

/** The first section whose every rule holds names the profile. */
export function recommend({ file, folders }: RecommendFiles, asked: Asked): Recommendation {
  const merged = new Map(
    folders.flatMap(({ path, files }) => [...files].map(([name, text]) => [name, [`${path}/${name}`, text] as const])),
  );
  const texts: (readonly [path: string, text: string])[] = file === undefined ? [] : [[recommendFile, file]];
  for (const name of [...merged.keys()].toSorted()) texts.push(merged.get(name) ?? [name, ""]);
  const warnings: Notice[] = [];
  for (const [path, text] of texts) {
    const { sections, problems } = parseIni(text, path);
    const [problem] = problems;
    if (problem) {
      warnings.push({ ...problem, level: "error", message: `error processing '${path}', ${problem.message}` });
      continue;
    }
    for (const section of sections) {
      const held = holdAll(section.options, path, asked);
      if (held.type === "needs" || held.type === "invalid") return held;
      if (held.type !== "holds") continue;
      return { type: "recommended", profile: withoutSuffix(section.name), from: `${path}:${section.line}`, warnings };
    }
  }
  return { type: "recommended", profile: otherwise, warnings };
}

/** What follows the last comma only makes the sections of one profile distinct. */
function withoutSuffix(name: string): string {
  const comma = name.lastIndexOf(",");
  return comma < 0 ? name : name.slice(0, comma);
}

type Held =
  | { type: "holds" }
  | { type: "fails" }
  | { type: "needs"; probes: Probe[] }
  | { type: "invalid"; problems: Problem[] };

function holdAll(options: readonly ParsedOption[], file: string, asked: Asked): Held {
  for (const { key, value, line } of options) {
    if (key === "virt" && asked.root === false) return { type: "fails" };
    const rule = ruleOf(key);
    if (!rule) continue;
    const probes = distinctProbes(rule.probes(asked.answers));
    const missing = probes.filter((probe) => !asked.answers.has(probeKey(probe)));
    if (missing.length > 0) return { type: "needs", probes: missing };
    const texts = rule.texts(probes.map((probe) => asked.answers.get(probeKey(probe)) ?? { type: "none" }));
    const compiled = compilePython(value === "" ? "^$" : value, rule.flags);
    if (compiled.type !== "pattern") return { type: "invalid", problems: [{ message: compiled.message, file, line }] };
    if (!texts.some((text) => compiled.pattern.match(text))) return { type: "fails" };
  }
  return { type: "holds" };
}

/** A rule holds if its pattern matches at the start of one of the texts. */
interface Rule {
  probes(answers: Answers): Probe[];
  texts(answers: Answer[]): string[];
  flags: PatternFlags;
}

function textOf(answer: Answer | undefined): string {
  return answer?.type === "text" ? answer.text : "";
}

/** TuneD ignores unknown keys. */
function ruleOf(key: string): Rule | undefined {
  if (key.startsWith("/"))
    return {
      probes: () => [{ type: "file", path: key }],
      texts: (answers) => answers.flatMap((answer) => (answer.type === "text" ? [answer.text] : [])),
      flags: { dotAll: true },
    };
  if (key.startsWith("process")) return runningProcess;
  return rules.get(key);
}

const runningProcess: Rule = {
  probes(answers) {
    const list: Probe = { type: "list", path: "/proc" };
    const processes = textOf(answers.get(probeKey(list)))
      .split("\n")
      .filter((name) => /^[0-9]+$/.test(name));
    return [list, ...processes.map((id): Probe => ({ type: "file", path: `/proc/${id}/comm` }))];
  },
  texts: ([, ...commands]) => commands.flatMap((answer) => (answer.type === "text" ? [answer.text.trimEnd()] : [])),
  flags: {},
};

const chassis: Probe = { type: "file", path: "/sys/devices/virtual/dmi/id/chassis_type" };

const rules = new Map<string, Rule>([
  [
    "virt",
    {
      probes: () => [{ type: "exec", argv: ["virt-what"] }],
      texts: ([answer]) => [textOf(answer)],
      flags: { dotAll: true },
    },
  ],
  [
    "system",
    {
      probes: () => [{ type: "file", path: "/etc/system-release-cpe" }],
      texts: ([answer]) => [textOf(answer)],
      flags: { dotAll: true },
    },
  ],
  [
    "chassis_type",
    {
      probes: (answers) =>
        answers.has(probeKey(chassis)) && chassisName(answers.get(probeKey(chassis))) === ""
          ? [chassis, { type: "exec", argv: ["dmidecode", "-s", "chassis-type"] }]
          : [chassis],
      texts: ([id, dmidecode]) => [chassisName(id) || textOf(dmidecode).trim()],
      flags: { ignoreCase: true },
    },
  ],
  [
    "syspurpose_role",
    {
      probes: () => [{ type: "file", path: "/etc/rhsm/syspurpose/syspurpose.json" }],
      texts: ([answer]) => [roleOf(textOf(answer))],
      flags: { ignoreCase: true },
    },
  ],
]);

function chassisName(answer: Answer | undefined): string {
  return chassisNames[Number(textOf(answer).trim() || "0")] ?? "";
}

function roleOf(text: string): string {
  try {
    const content: unknown = JSON.parse(text);
    const role: unknown = content !== null && typeof content === "object" && "role" in content ? content.role : "";
    return typeof role === "string" ? role : "";
  } catch {
    return "";
  }
}

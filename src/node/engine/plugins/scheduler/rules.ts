import { parseMask } from "../../../../language/cpu/cpu-mask.ts";
import type { CpuSet } from "../../../../language/cpu/cpu-set.ts";
import { compilePython, type PythonPattern } from "../../../../language/tuned/pattern/python-pattern.ts";
import type { Setting, Unit } from "../../../../language/tuned/unit.ts";
import type { Step } from "../../plugin.ts";

/** `group.name=rule_prio:policy:priority:affinity:regex`: policy and CPUs of tasks whose command line matches. */
export interface Rule {
  readonly option: string;
  readonly from: string;
  readonly pattern: PythonPattern;
  /** Without `policy`, only the priority changes. */
  readonly run?: { readonly policy?: Policy | undefined; readonly priority: number } | undefined;
  readonly cpus?: CpuSet | undefined;
}

/** In order of precedence: of the rules that match a task the last one counts. */
export function readRules({ options }: Unit): { rules: readonly Rule[]; steps: readonly Step[] } {
  const steps: Step[] = [];
  const ordered: { rule: Rule; priority: string }[] = [];
  for (const [option, setting] of options) {
    if (!option.startsWith("group.")) continue;
    // The regular expression may contain colons; with fewer than five parts a rule is cancelled.
    const [priority = "", policy = "", taskPriority = "", affinity = "", ...rest] = setting.value.split(":");
    if (rest.length === 0) continue;
    const rule = readRule(option, setting, { policy, priority: taskPriority, affinity, regex: rest.join(":") }, steps);
    if (rule) ordered.push({ rule, priority });
  }
  return { rules: ordered.toSorted((a, b) => byPriority(a.priority, b.priority)).map(({ rule }) => rule), steps };
}

interface Parts {
  readonly policy: string;
  readonly priority: string;
  readonly affinity: string;
  readonly regex: string;
}

function readRule(option: string, { from }: Setting, parts: Parts, steps: Step[]): Rule | undefined {
  const impossible = (message: string) => steps.push({ type: "impossible", option, from, message, verified: false });
  const compiled = compilePython(parts.regex);
  if (compiled.type !== "pattern") {
    impossible(compiled.message);
    return undefined;
  }
  const run = readRun(parts);
  if (run.type === "wrong") impossible(run.message);
  const affinity = readAffinity(parts.affinity);
  if (affinity.type === "wrong") impossible(affinity.message);
  return {
    option,
    from,
    pattern: compiled.pattern,
    run: run.type === "run" ? { policy: run.policy, priority: run.priority } : undefined,
    cpus: affinity.type === "cpus" ? affinity.cpus : undefined,
  };
}

type Run = { type: "run"; policy?: Policy; priority: number } | { type: "wrong"; message: string };

function readRun({ policy: letter, priority: text }: Parts): Run {
  const policy = policies.find((known) => known.letter === letter);
  if (!policy && letter !== "*")
    return { type: "wrong", message: `${JSON.stringify(letter)} is not a scheduling policy` };
  if (!/^[+-]?[0-9]{1,9}$/.test(text.trim()))
    return { type: "wrong", message: `${JSON.stringify(text)} is not a priority` };
  const priority = Number(text);
  if (!policy) return { type: "run", priority };
  const [lowest, highest] = policy.priorities;
  if (priority < lowest || priority > highest)
    return { type: "wrong", message: `a priority of ${policy.name} is from ${lowest} to ${highest}, not ${priority}` };
  return { type: "run", policy, priority };
}

type Affinity = { type: "cpus"; cpus: CpuSet } | { type: "any" } | { type: "wrong"; message: string };

function readAffinity(text: string): Affinity {
  if (text === "*") return { type: "any" };
  if (text.startsWith("cgroup."))
    return { type: "wrong", message: `${text} needs control groups of version 1, which only the TuneD daemon sets up` };
  const mask = parseMask(text);
  return mask.type === "cpus" && mask.cpus.length > 0
    ? mask
    : { type: "wrong", message: `${JSON.stringify(text)} is not a mask of CPUs` };
}

/** As numbers where both are: TuneD sorts them as text, 10 before 9 (Q19). */
function byPriority(a: string, b: string): number {
  if (/^-?[0-9]{1,9}$/.test(a) && /^-?[0-9]{1,9}$/.test(b)) return Number(a) - Number(b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A scheduling policy of the kernel. */
export interface Policy {
  /** In profiles and for `chrt`. */
  readonly letter: "o" | "f" | "r" | "b" | "i";
  readonly name: string;
  /** In `/proc/<pid>/stat`. */
  readonly number: number;
  readonly priorities: readonly [lowest: number, highest: number];
}

/** Policies that a priority describes in full. SCHED_DEADLINE is not among them: it could not be restored. */
export const policies: readonly Policy[] = [
  { letter: "o", name: "other", number: 0, priorities: [0, 0] },
  { letter: "f", name: "fifo", number: 1, priorities: [1, 99] },
  { letter: "r", name: "round robin", number: 2, priorities: [1, 99] },
  { letter: "b", name: "batch", number: 3, priorities: [0, 0] },
  { letter: "i", name: "idle", number: 5, priorities: [0, 0] },
];

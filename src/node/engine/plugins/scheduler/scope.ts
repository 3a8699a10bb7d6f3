import { compilePython, type PythonPattern } from "../../../../language/tuned/pattern/python-pattern.ts";
import { truthDigit } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Step } from "../../plugin.ts";

/** The tasks that the unit may move. */
export interface Scope {
  /** False where a list of tasks to leave alone is malformed: then no task is moved. */
  readonly known: boolean;
  readonly steps: readonly Step[];
  readonly kernelThreads: boolean;
  /** Whether processes are chosen by control group; otherwise their control groups are not read. */
  readonly byControlGroup: boolean;
  /** By the name of a task. */
  isListed(comm: string): boolean;
  /** By the lines of a task's `/proc/<pid>/cgroup`, joined by commas. */
  isInLeftGroup(controlGroups: string): boolean;
}

export function readScope(unit: Unit): Scope {
  const steps: Step[] = [];
  const white = readList("ps_whitelist", unit, steps);
  const black = readList("ps_blacklist", unit, steps);
  const groups = readList("cgroup_ps_blacklist", unit, steps);
  // Cached by name: nodes have hundreds of tasks of the same name.
  const listed = new Map<string, boolean>();
  return {
    known: steps.length === 0,
    steps,
    kernelThreads: truthDigit(unit.options.get("kthread_process")?.value ?? "1") === "1",
    byControlGroup: groups.length > 0,
    isListed(comm) {
      const known = listed.get(comm);
      if (known !== undefined) return known;
      const is = (white.length === 0 || finds(white, comm)) && !finds(black, comm);
      listed.set(comm, is);
      return is;
    },
    isInLeftGroup: (controlGroups) => finds(groups, controlGroups) || finds(groups, systemdNames(controlGroups)),
  };
}

/**
 * The kubelet's control group as its systemd driver names it: with the driver cgroupfs it is `/kubepods`, below a root of
 * its own also `/kubelet-kubepods.slice`. Profiles in use know only the first name.
 */
function systemdNames(controlGroups: string): string {
  return controlGroups.replaceAll(/\/(?:[^/,]*-)?kubepods(?:\.slice)?(?=\/)/g, "/kubepods.slice");
}

function finds(patterns: readonly PythonPattern[], text: string): boolean {
  return patterns.some((pattern) => pattern.search(text));
}

/** Regular expressions separated by semicolons. An empty one is ignored; in TuneD it matches every task. */
function readList(option: string, { options }: Unit, steps: Step[]): PythonPattern[] {
  const setting = options.get(option);
  if (!setting) return [];
  const patterns: PythonPattern[] = [];
  for (const source of setting.value.split(/(?<!\\);/)) {
    if (source === "") continue;
    const compiled = compilePython(source);
    if (compiled.type === "pattern") patterns.push(compiled.pattern);
    else {
      const message = `${compiled.message}; no task is moved, because the list may name it`;
      steps.push({ type: "impossible", option, from: setting.from, message });
    }
  }
  return patterns;
}

import type { Action } from "../../action.ts";

/** A thread. Its start time distinguishes it from a later one with the same number. */
export interface TaskName {
  readonly tid: number;
  /** Clock ticks since the boot, field 22 of its `stat`. */
  readonly start: string;
}

/**
 * Sets CPUs (`12:3456:0-3`) or policies (`12:3456:-f:50`) of any number of tasks. A task that has ended is skipped, even if
 * another has its number by now. It fails only if no task could be changed: single tasks may refuse.
 */
const script = `for t do p=\${t%%:*} r=\${t#*:} v=\${t#*:*:}
read -r s 2>/dev/null </proc/$p/stat || continue
set -- \${s##*) }
[ "\${20}" = "\${r%%:*}" ] || continue
case $v in -*) e=$(chrt "\${v%%:*}" -p "\${v#*:}" "$p" 2>&1);; *) e=$(taskset -pc "$v" "$p" 2>&1);; esac && ok=1 || bad=$e
done
[ -n "$ok" ] || [ -z "$bad" ] || { echo "$bad" >&2; exit 1; }`;

const shared = ["sh", "-c", script, "tasks"];

export function setTaskCpus(task: TaskName, cpus: string, tolerate?: readonly number[]): Action {
  return action(`${task.tid}:${task.start}:${cpus}`, tolerate);
}

export function setTaskPolicy(task: TaskName, letter: string, priority: number, tolerate?: readonly number[]): Action {
  return action(`${task.tid}:${task.start}:-${letter}:${priority}`, tolerate);
}

function action(task: string, tolerate?: readonly number[]): Action {
  const argv = [...shared, task];
  return { type: "run", argv, shared: shared.length, timeoutMs: 60_000, ...(tolerate ? { tolerate } : {}) };
}

import { cpusOf } from "../../../../language/cpu/cpu-list.ts";
import { formatRanges } from "../../../../language/cpu/cpu-set.ts";
import type { Observe, Step } from "../../plugin.ts";
import { within, withoutUs } from "../irq/affinity.ts";
import type { Housekeeping } from "./housekeeping.ts";
import { policies, type Rule } from "./rules.ts";
import type { Scope } from "./scope.ts";
import { setTaskCpus, setTaskPolicy } from "./task-command.ts";
import { inPortions, type Process, readProcesses, readTaskCpus, type Task } from "./tasks.ts";

export interface TaskRequest {
  readonly scope: Scope;
  readonly rules: readonly Rule[];
  readonly housekeeping: Housekeeping | undefined;
}

/** One thread that something is asked of. */
interface Subject {
  readonly pid: number;
  readonly task: Task;
  /** The last rule that matches it. */
  readonly rule: Rule | undefined;
  /** Whether its CPUs are anybody's but its control group's. */
  readonly movable: boolean;
  readonly isolated: boolean;
}

/** A thread that is left as it is: told of by the number. */
interface Passed {
  readonly type: "passed";
  readonly option: string;
  readonly from: string;
  readonly why: string;
}

/** TuneD never compares what became of tasks: they start, end and change themselves all the time. */
export async function planTasks(request: TaskRequest, observe: Observe): Promise<Step[]> {
  const { scope, rules, housekeeping } = request;
  if (observe.purpose === "verify" || (!housekeeping && rules.length === 0)) return [];
  const want = { commands: rules.length > 0, controlGroups: scope.byControlGroup };
  const processes = await readProcesses(observe, want);
  const subjects = processes.flatMap((process) => subjectsOf(process, request));
  const planned = await inPortions(subjects, async (subject) => [
    ...planPolicy(subject, observe),
    ...(await planCpus(subject, request, observe)),
  ]);
  return summed(planned.flat());
}

/** A process that is to be left alone is left with all its threads (qemu-kvm, whose threads are called otherwise). */
function subjectsOf({ pid, tasks, command, controlGroups }: Process, request: TaskRequest): Subject[] {
  const { scope, rules, housekeeping } = request;
  const [main] = tasks;
  if (main.kernel && !scope.kernelThreads) return [];
  const rule = rules.findLast(({ pattern }) => pattern.search(command));
  const movable = scope.known && !(scope.byControlGroup && scope.isInLeftGroup(controlGroups));
  const listed = movable && housekeeping !== undefined && scope.isListed(main.comm);
  if (!rule && !listed) return [];
  return tasks.map((task) => ({ pid, task, rule, movable, isolated: listed && scope.isListed(task.comm) }));
}

function planPolicy({ task, rule }: Subject, observe: Observe): (Step | Passed)[] {
  if (!rule?.run) return [];
  const about = { option: rule.option, from: rule.from };
  const current = policies.find(({ number }) => number === task.policy);
  if (!current)
    return [{ ...about, type: "passed", why: "run by a deadline or the like, which could not be put back" }];
  const policy = rule.run.policy ?? current;
  const { priority } = rule.run;
  if (priority < policy.priorities[0] || priority > policy.priorities[1])
    return [{ ...about, type: "passed", why: `the priority ${priority} does not go with the policy` }];

  const target = `task ${task.tid}@${task.start} policy`;
  const same = policy === current && priority === task.priority;
  if (same && observe.original(target) === undefined) return [];
  return [
    {
      ...about,
      device: `${task.comm} (${task.tid})`,
      type: same ? "same" : "change",
      target,
      before: `${current.name} ${task.priority}`,
      value: `${policy.name} ${priority}`,
      actions: [setTaskPolicy(task, policy.letter, priority)],
      undo: [setTaskPolicy(task, current.letter, task.priority, beyondReach)],
      verified: false,
    },
  ];
}

/** A task that can no longer be put back is not tried again forever. */
const beyondReach = [1];

async function planCpus(subject: Subject, request: TaskRequest, observe: Observe): Promise<(Step | Passed)[]> {
  const { pid, task, rule, movable, isolated } = subject;
  const { housekeeping } = request;
  const byRule = movable && rule?.cpus !== undefined;
  if (!byRule && !(isolated && housekeeping)) return [];
  const text = await readTaskCpus(observe, pid, task.tid);
  if (text === undefined) return [];

  const target = `task ${task.tid}@${task.start} cpus`;
  const before = formatRanges(cpusOf(text));
  const value = formatRanges(
    (byRule ? rule?.cpus : undefined) ?? within(housekeeping?.cpus ?? [])(cpusOf(withoutUs(observe, target, before))),
  );
  const same = before === value;
  if (same && observe.original(target) === undefined) return [];
  const about = byRule
    ? { option: rule?.option ?? "", from: rule?.from ?? "" }
    : { option: "isolated_cores", from: housekeeping?.from ?? "" };
  if (task.bound && !same) return [{ ...about, type: "passed", why: "bound to its CPUs by the kernel" }];
  return [
    {
      ...about,
      device: `${task.comm} (${task.tid})`,
      type: same ? "same" : "change",
      target,
      before,
      value,
      actions: [setTaskCpus(task, value)],
      undo: [setTaskCpus(task, before, beyondReach)],
      verified: false,
    },
  ];
}

/** Nobody wants to read the same sentence for each of a thousand threads. */
function summed(planned: readonly (Step | Passed)[]): Step[] {
  const steps: Step[] = [];
  const passed = new Map<string, { first: Passed; count: number }>();
  for (const one of planned) {
    if (one.type !== "passed") steps.push(one);
    else {
      const key = `${one.option}\n${one.why}`;
      passed.set(key, { first: one, count: (passed.get(key)?.count ?? 0) + 1 });
    }
  }
  for (const { first, count } of passed.values()) {
    const message = `${count} ${count === 1 ? "task is" : "tasks are"} left alone: ${first.why}`;
    steps.push({ type: "skipped", level: "info", option: first.option, from: first.from, message });
  }
  return steps;
}

import { cpusOf } from "../../../../language/cpu/cpu-list.ts";
import { formatRanges, intersection } from "../../../../language/cpu/cpu-set.ts";
import type { Observe, Step } from "../../plugin.ts";
import { within, withoutUs } from "../irq/affinity.ts";
import { mapBounded } from "../map-bounded.ts";
import type { Housekeeping } from "./housekeeping.ts";
import { policies, type Rule } from "./rules.ts";
import type { Scope } from "./scope.ts";
import { setTaskCpus, setTaskPolicy } from "./task-command.ts";
import { maxConcurrentTasks, type Process, readCpuset, readProcesses, readTaskCpus, type Task } from "./tasks.ts";

export interface TaskRequest {
  readonly scope: Scope;
  readonly rules: readonly Rule[];
  readonly housekeeping: Housekeeping | undefined;
  /** Whether rules are for tasks that started after the profile was applied, too. */
  readonly later: boolean;
}

/** One thread that the unit may tune. */
interface Subject {
  readonly pid: number;
  readonly task: Task;
  /** The last rule that matches it. */
  readonly rule: Rule | undefined;
  /** Whether its CPUs may be changed: not those of a control group to leave alone. */
  readonly movable: boolean;
  readonly isolated: boolean;
}

/** A thread that is left as it is; reports only count them. */
interface Passed {
  readonly type: "passed";
  readonly option: string;
  readonly from: string;
  readonly why: string;
}

/** Verified are tasks that were set by a rule. TuneD verifies none: they start, end and change themselves all the time. */
export async function planTasks(request: TaskRequest, observe: Observe): Promise<Step[]> {
  const { scope, rules, housekeeping } = request;
  if (!housekeeping && rules.length === 0) return [];
  const { follow, purpose } = observe;
  const pids = follow?.occasion === "processes" ? follow.pids : undefined;
  const want = { commands: rules.length > 0, controlGroups: scope.byControlGroup, pids };
  const processes = await readProcesses(observe, want);
  const subjects = processes.flatMap((process) => subjectsOf(process, request));
  const planned = await mapBounded(subjects, maxConcurrentTasks, async (subject) => [
    ...planPolicy(subject, observe),
    ...(await planCpus(subject, request, observe)),
  ]);
  const steps = summed(planned.flat());
  if (purpose === "apply" && (!follow || request.later)) return steps;
  return steps.filter((step) => "target" in step && observe.applied?.(step.target) !== undefined);
}

/** A process that is left alone keeps all its threads: those of qemu-kvm have other names. */
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
  if (!current) return [{ ...about, type: "passed", why: "its scheduling policy could not be restored" }];
  const policy = rule.run.policy ?? current;
  const { priority } = rule.run;
  if (priority < policy.priorities[0] || priority > policy.priorities[1])
    return [{ ...about, type: "passed", why: `the priority ${priority} is not valid for the policy` }];

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
    },
  ];
}

/** Tolerated when undoing, so that a task that can no longer be changed is not tried again. */
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
  const cpuset = same || task.kernel ? undefined : await readCpuset(observe, pid);
  // The kernel refuses CPUs of which the cpuset has none: pods with CPUs of their own have such cpusets.
  if (cpuset && intersection(cpuset, cpusOf(value)).length === 0)
    return [{ ...about, type: "passed", why: "not allowed on these CPUs by its cpuset" }];
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
    },
  ];
}

/** One report for all threads that are left for the same reason. */
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

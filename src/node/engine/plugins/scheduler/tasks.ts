import { cpusOf } from "../../../../language/cpu/cpu-list.ts";
import type { CpuSet } from "../../../../language/cpu/cpu-set.ts";
import type { Host } from "../../../host/host.ts";
import type { Observe } from "../../plugin.ts";
import { mapBounded } from "../map-bounded.ts";

/** One thread of a process. */
export interface Task {
  readonly tid: number;
  readonly start: string;
  readonly comm: string;
  /** A thread of the kernel itself. */
  readonly kernel: boolean;
  /** The kernel does not allow its CPUs to change. */
  readonly bound: boolean;
  readonly policy: number;
  readonly priority: number;
}

export interface Process {
  readonly pid: number;
  /** The main thread first. */
  readonly tasks: readonly [Task, ...Task[]];
  /** As `ps` prints it: `[kthreadd]` for kernel threads. Empty unless requested. */
  readonly command: string;
  readonly controlGroups: string;
}

/** Reading thousands of small files one by one takes seconds, all at once takes memory. */
export const maxConcurrentTasks = 32;

interface Want {
  readonly commands: boolean;
  readonly controlGroups: boolean;
  /** Default all. */
  readonly pids?: ReadonlySet<number> | undefined;
}

export async function readPids(host: Pick<Host, "list">): Promise<number[]> {
  return (await host.list("/proc")).filter(isNumber).map(Number);
}

/** Processes. One that ends meanwhile is left out. */
export async function readProcesses(observe: Observe, want: Want): Promise<Process[]> {
  const pids = want.pids ? [...want.pids] : await readPids(observe.host);
  const processes = await mapBounded(
    pids.toSorted((a, b) => a - b),
    maxConcurrentTasks,
    (pid) => readProcess(observe.host, pid, want),
  );
  return processes.filter((process) => process !== undefined);
}

/** `undefined` for a process that has ended. */
export async function readProcess(
  host: Pick<Host, "read" | "list">,
  pid: number,
  want: Want,
): Promise<Process | undefined> {
  const text = async (name: string) => {
    const file = await host.read(`/proc/${pid}/${name}`);
    return file.type === "text" ? file.text : "";
  };
  const main = parseStat(await text("stat"));
  if (!main) return undefined;
  const tasks: [Task, ...Task[]] = [main.task];
  if (main.threads > 1)
    for (const tid of (await host.list(`/proc/${pid}/task`)).filter(isNumber)) {
      const thread = Number(tid) === pid ? undefined : parseStat(await text(`task/${tid}/stat`));
      if (thread) tasks.push(thread.task);
    }
  const { kernel, comm } = main.task;
  let command = "";
  if (want.commands) command = kernel ? `[${comm}]` : commandOf(await text("cmdline")) || comm;
  const controlGroups = want.controlGroups ? (await text("cgroup")).trim().split("\n").join(",") : "";
  return { pid, tasks, command, controlGroups };
}

/** As `ps` prints it. */
function commandOf(cmdline: string): string {
  return cmdline.split("\0").join(" ").trim();
}

const kernelThread = 0x0020_0000;
const noSetAffinity = 0x0400_0000;

/** The name stands in parentheses and may contain some. Zombies do not count. */
function parseStat(text: string): { task: Task; threads: number } | undefined {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  const [state] = fields;
  const start = fields[19];
  if (open < 0 || close < open || start === undefined || state === "Z" || state === "X") return undefined;
  const flags = Number(fields[6]);
  const task: Task = {
    tid: Number(text.slice(0, open)),
    start,
    comm: text.slice(open + 1, close),
    kernel: (flags & kernelThread) !== 0,
    bound: (flags & noSetAffinity) !== 0,
    policy: Number(fields[38] ?? 0),
    priority: Number(fields[37] ?? 0),
  };
  return { task, threads: Number(fields[17]) };
}

/** The CPUs on which a task may run, as the kernel lists them. */
export async function readTaskCpus({ host }: Observe, pid: number, tid: number): Promise<string | undefined> {
  const file = await host.read(`/proc/${pid}/task/${tid}/status`);
  return file.type === "text" ? /^Cpus_allowed_list:\s*([0-9,-]+)$/m.exec(file.text)?.[1] : undefined;
}

/** The CPUs that the cpuset of a process allows; `undefined` where it has none. */
export async function readCpuset({ host }: Observe, pid: number): Promise<CpuSet | undefined> {
  const file = await host.read(`/proc/${pid}/cgroup`);
  if (file.type !== "text") return undefined;
  for (const line of file.text.split("\n")) {
    const [number, controllers = "", ...path] = line.split(":");
    const unified = number === "0" && controllers === "";
    if (!unified && !controllers.split(",").includes("cpuset")) continue;
    const folder = `/sys/fs/cgroup${unified ? "" : "/cpuset"}${path.join(":")}`;
    const cpus = await host.read(`${folder}/${unified ? "cpuset.cpus.effective" : "cpuset.effective_cpus"}`);
    if (cpus.type === "text") return cpusOf(cpus.text.trim());
  }
  return undefined;
}

function isNumber(name: string): boolean {
  return /^[0-9]{1,10}$/.test(name);
}

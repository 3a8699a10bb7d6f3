import type { Outcome } from "../../host/host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../host/memory-host.ts";
import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import { resolve, type ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { ApplyReport } from "../engine.ts";

/** A thread of a simulated node. */
export interface Thread {
  tid: number;
  /** Of the process; by default it is a process of its own. */
  pid?: number;
  comm: string;
  cpus?: string;
  command?: string;
  cgroup?: string;
  kind?: "user" | "kernel" | "bound";
  policy?: string;
  state?: string;
  start?: number;
  /** Of the process, where there are more than one. */
  threads?: number;
}

const numbers: Record<string, number> = { o: 0, f: 1, r: 2, b: 3, i: 5, deadline: 6 };
const flags = { user: 0x40_0000, kernel: 0x20_0040, bound: 0x420_0040 };

/** A node whose tasks `sh` changes as taskset and chrt would on a real one; `runs` has the number of tasks of each call. */
export class TaskNode extends MemoryHost {
  readonly runs: number[];

  constructor(threads: readonly Thread[], files: Record<string, string> = {}) {
    const runs: number[] = [];
    const sh: MemoryCommand = ([, , , ...items], host) => {
      runs.push(items.length);
      for (const item of items) change(threads, item, host);
      return { type: "exited", code: 0, stdout: "", stderr: "" };
    };
    const texts = new Map<string, string>([
      ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
      ["/sys/devices/system/cpu/present", "0-7\n"],
      ["/proc/irq/default_smp_affinity", "01\n"],
      ...threads.flatMap((thread) => filesOf(thread)),
      ...Object.entries(files),
    ]);
    super(new MemoryBase(texts), [["sh", sh]]);
    this.runs = runs;
  }

  /** Masks are texts, though they look like numbers. */
  override async write(path: string, text: string): Promise<Outcome> {
    if (!path.endsWith("smp_affinity")) return super.write(path, text);
    this.put(path, `${text}\n`);
    return { type: "done" };
  }

  /** Writes the files of a thread that a test has changed. */
  show(thread: Thread): void {
    for (const [path, text] of filesOf(thread)) this.put(path, text);
  }
}

function change(threads: readonly Thread[], item: string, host: MemoryHost): void {
  const [tid, start, value = "", priority] = item.split(":");
  const thread = threads.find((one) => one.tid === Number(tid) && startOf(one) === start);
  if (!thread) return;
  if (priority === undefined) thread.cpus = value;
  else thread.policy = `${value.slice(1)} ${priority}`;
  for (const [path, text] of filesOf(thread)) host.put(path, text);
}

function startOf({ tid, start = tid * 10 }: Thread): string {
  return String(start);
}

function filesOf(thread: Thread): [path: string, text: string][] {
  const { tid, pid = tid, comm, cpus = "0-7", kind = "user", policy = "o 0", state = "S" } = thread;
  const [letter = "o", priority = "0"] = policy.split(" ");
  const fields = Array.from({ length: 49 }, () => "0");
  fields[16] = String(thread.threads ?? 1);
  fields[5] = String(flags[kind]);
  fields[18] = startOf(thread);
  fields[36] = priority;
  fields[37] = String(numbers[letter]);
  const stat = `${tid} (${comm}) ${state} ${fields.join(" ")}\n`;
  const files: [string, string][] = [
    [`/proc/${pid}/task/${tid}/stat`, stat],
    [`/proc/${pid}/task/${tid}/status`, `Name:\t${comm}\nCpus_allowed:\tff\nCpus_allowed_list:\t${cpus}\n`],
  ];
  if (pid !== tid) return files;
  return [
    ...files,
    [`/proc/${pid}/stat`, stat],
    [`/proc/${pid}/cmdline`, (thread.command ?? "").replaceAll(" ", "\0")],
    [`/proc/${pid}/cgroup`, thread.cgroup ?? "0::/\n"],
  ];
}

/** A profile of one `[scheduler]`. */
export function schedulerProfile(...options: string[]): ResolvedProfile {
  const parsed = parseProfile(["[scheduler]", ...options, ""].join("\n"), "b");
  const resolution = resolve({ profile: "b", layers: [new Map([["b", parsed]])] }, new Map());
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

/** Options that were not applied, with the reason. */
export function reasons({ settings }: ApplyReport): string[] {
  return settings.flatMap((one) =>
    one.type === "failed" || one.type === "skipped" ? [`${one.option}: ${one.message}`] : [],
  );
}

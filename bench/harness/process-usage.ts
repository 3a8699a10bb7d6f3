import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { WrongError } from "./load.ts";

/** USER_HZ: /proc counts CPU time in hundredths of a second, whatever the kernel's own timer frequency is. */
const ticksPerSecond = 100;

export interface Memory {
  /** Resident memory in MB, as `ps` shows it. */
  readonly resident: number;
  /** Resident memory without mapped files, which the kernel can drop. */
  readonly own: number;
}

/** The sum of the memory of the processes; undefined where there is no /proc. */
export function memoryOf(pids: readonly number[]): Memory | undefined {
  const resident = sum(pids, (pid) => megabytes(pid, "VmRSS"));
  const own = sum(pids, (pid) => megabytes(pid, "RssAnon"));
  return resident === undefined || own === undefined ? undefined : { resident, own };
}

/** The peak of resident memory, in MB. */
export function peakMemoryOf(pid: number): number | undefined {
  return sum([pid], (one) => megabytes(one, "VmHWM"));
}

function megabytes(pid: number, line: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024) / 1e6;
}

/** CPU time that the processes have used, in seconds. On a shared machine it varies less than elapsed time. */
export function cpuSeconds(pids: readonly number[]): number | undefined {
  return sum(pids, (pid) => {
    const fields = statOf(pid);
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  });
}

/** Child processes of this process, by the name of their program. */
export function childrenNamed(...names: string[]): number[] {
  return processes().filter((pid) => {
    try {
      return Number(statOf(pid)[1]) === process.pid && names.includes(nameOf(pid));
    } catch {
      // The process ended after it was listed.
      return false;
    }
  });
}

function processes(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trimEnd();
}

/** The fields after the name, which may contain spaces: state, parent, … */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function sum(pids: readonly number[], of: (pid: number) => number): number | undefined {
  let total = 0;
  for (const pid of pids) {
    try {
      total += of(pid);
    } catch {
      return undefined;
    }
  }
  return pids.length === 0 || Number.isNaN(total) ? undefined : total;
}

/** How long Node.js takes with these arguments, from start to exit. */
export function runTime(args: readonly string[], expected = 0): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === expected) resolve(performance.now() - started);
      else reject(new WrongError(`node ${args.join(" ")} ended with ${code}, not ${expected}`));
    });
  });
}

/** Node.js that does nothing: the base of comparison. */
export function bareNode(): Promise<number> {
  return runTime(["-e", "0"]);
}

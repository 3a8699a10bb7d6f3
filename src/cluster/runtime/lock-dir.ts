import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makeFolder } from "./make-folder.ts";

export type Unlock = () => Promise<void>;

export class DirectoryLockedError extends Error {
  readonly pid: number;

  constructor(dir: string, pid: number) {
    super(`lock directory ${dir}: process ${pid} is using it`);
    this.name = "DirectoryLockedError";
    this.pid = pid;
  }
}

export class DirectoryModeError extends Error {
  constructor(dir: string, found: string, wanted: string) {
    super(`lock directory ${dir}: it holds the state of mode ${found}, not ${wanted}: choose another directory`);
    this.name = "DirectoryModeError";
  }
}

/**
 * Locks a state directory for this process and one mode. Each process creates a claim file first and only then looks for
 * the claims of other processes: of two that start at the same time, at least one sees the other and withdraws. A claim
 * names a process by pid and start time, so that the claim of a killed process locks nothing. File access is synchronous:
 * at this point the process has nothing else to do, and it is several times faster than the thread pool.
 */
export async function lockDirectory(dir: string, { mode }: { mode: string }): Promise<Unlock> {
  makeFolder(dir, 0o700);
  const claim = join(dir, claimName(process.pid, startTime(process.pid)));
  place(claim, dir);
  try {
    const holder = otherClaim(dir, basename(claim));
    if (holder !== undefined) throw new DirectoryLockedError(dir, holder);
    checkMode(dir, mode);
  } catch (error) {
    rmSync(claim, { force: true });
    throw error;
  }
  return async () => rmSync(claim, { force: true });
}

const claimName = (pid: number, start: string): string => `lock.${pid}.${start}`;

function place(claim: string, dir: string): void {
  try {
    closeSync(openSync(claim, "wx", 0o600));
  } catch (error) {
    if (code(error) === "EEXIST") throw new DirectoryLockedError(dir, process.pid);
    throw error;
  }
}

/** The pid of a running process with a claim. Removes claims of processes that have ended. */
function otherClaim(dir: string, own: string): number | undefined {
  for (const name of readdirSync(dir)) {
    if (name === own) continue;
    const [, digits, start] = /^lock\.([0-9]+)\.(.*)$/.exec(name) ?? [];
    if (digits === undefined || start === undefined) continue;
    const pid = Number(digits);
    if (isAlive(pid) && start === startTime(pid)) return pid;
    rmSync(join(dir, name), { force: true });
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return code(error) === "EPERM";
  }
}

/**
 * The boot and the clock tick at which a process started: pids are reused, this is not. Empty where procfs cannot be
 * read; then only the pid identifies a process.
 */
function startTime(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command, in parentheses, may contain spaces and parentheses; field 22 is the 20th after it (proc(5)).
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    return `${boot.slice(0, 8)}-${ticks}`;
  } catch {
    // No procfs, a procfs that denies access, or a process that has ended.
    return "";
  }
}

function checkMode(dir: string, mode: string): void {
  const path = join(dir, "mode");
  try {
    const found = readFileSync(path, "utf8").trim();
    if (found !== mode && found !== "") throw new DirectoryModeError(dir, found, mode);
    if (found === mode) return;
  } catch (error) {
    if (code(error) !== "ENOENT") throw error;
  }
  writeFileSync(path, `${mode}\n`, { mode: 0o600 });
}

function code(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

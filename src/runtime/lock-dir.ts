import { mkdir, open, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

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
 * Takes a state directory for this process and one mode. Each process puts down a claim in its own name and only then
 * looks for those of others: of two that come at once, at least one sees the other and withdraws. A claim names a
 * process by pid and start time, so that what a killed process leaves behind binds nobody.
 */
export async function lockDirectory(dir: string, { mode }: { mode: string }): Promise<Unlock> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const claim = join(dir, claimName(process.pid, await startTime(process.pid)));
  await place(claim, dir);
  try {
    const holder = await otherClaim(dir);
    if (holder !== undefined) throw new DirectoryLockedError(dir, holder);
    await checkMode(dir, mode);
  } catch (error) {
    await rm(claim, { force: true });
    throw error;
  }
  return () => rm(claim, { force: true });
}

const claimName = (pid: number, start: string): string => `lock.${pid}.${start}`;

async function place(claim: string, dir: string): Promise<void> {
  try {
    const file = await open(claim, "wx", 0o600);
    await file.close();
  } catch (error) {
    if (code(error) === "EEXIST") throw new DirectoryLockedError(dir, process.pid);
    throw error;
  }
}

/** The pid of a living process with a claim. Claims of the dead are swept. */
async function otherClaim(dir: string): Promise<number | undefined> {
  for (const name of await readdir(dir)) {
    const [, digits, start] = /^lock\.([0-9]+)\.(.*)$/.exec(name) ?? [];
    if (digits === undefined || start === undefined) continue;
    const pid = Number(digits);
    if (pid === process.pid && start === (await startTime(pid))) continue;
    if (isAlive(pid) && start === (await startTime(pid))) return pid;
    await rm(join(dir, name), { force: true });
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
 * The boot and the tick in it at which a process started: pids are used again, these are not. Empty where there is no
 * procfs; then the pid alone must do.
 */
async function startTime(pid: number): Promise<string> {
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    // The command, in brackets, may hold spaces and brackets; field 22 is the 20th after it.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    return `${boot.slice(0, 8)}-${ticks}`;
  } catch {
    return "";
  }
}

async function checkMode(dir: string, mode: string): Promise<void> {
  const path = join(dir, "mode");
  try {
    const found = (await readFile(path, "utf8")).trim();
    if (found !== mode && found !== "") throw new DirectoryModeError(dir, found, mode);
    if (found === mode) return;
  } catch (error) {
    if (code(error) !== "ENOENT") throw error;
  }
  await writeFile(path, `${mode}\n`, { mode: 0o600 });
}

function code(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { join } from "node:path";
import { makeOwnFolder } from "./own-folder.ts";

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

export interface LockOptions {
  /** Whose state the directory keeps. Without a mode it keeps none: it is removed with the last lock, if it is empty. */
  readonly mode?: string | undefined;
}

/** So often another process may remove the directory while this one is about to lock it. */
const mostTries = 100;

/** Locks a directory for this process. */
export async function lockDirectory(dir: string, options: LockOptions): Promise<Unlock> {
  for (let tries = 1; ; tries++)
    try {
      return await lockOnce(dir, options);
    } catch (error) {
      if (options.mode !== undefined || existsSync(dir) || tries >= mostTries) throw error;
    }
}

/**
 * A claim is a listening Unix socket in the directory: the kernel
 * closes it when its process ends, and connections by path reach it from every pid and network namespace, also while its
 * process is stopped. Each process places its claim first and only then looks for other claims: of two that start at the
 * same time, at least one sees the other and withdraws. Names of claims are never used twice, so that removing a dead one
 * cannot remove a living one.
 */
async function lockOnce(dir: string, { mode }: LockOptions): Promise<Unlock> {
  makeOwnFolder(dir);
  return within(dir, async (reach) => {
    const name = `lock.${process.pid}.${unused()}`;
    const socket = await placed(reach, name);
    const unlock = async (): Promise<void> => {
      rmSync(join(dir, name), { force: true });
      await new Promise((resolve) => socket.close(resolve));
      if (mode === undefined) removeIfEmpty(dir);
    };
    try {
      const holder = await otherClaim(reach, name);
      if (holder !== undefined) throw new DirectoryLockedError(dir, holder);
      if (mode !== undefined) checkMode(dir, mode);
      return unlock;
    } catch (error) {
      await unlock();
      throw error;
    }
  });
}

/** Never used before on this machine. Loading `node:crypto` would take a short command 5 ms. */
function unused(): string {
  return `${process.hrtime.bigint().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** Earlier versions wrote a mode into every locked directory. */
function removeIfEmpty(dir: string): void {
  try {
    rmSync(join(dir, "mode"), { force: true });
    rmdirSync(dir);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(String(code(error)))) throw error;
  }
}

/** unix(7): the longest path of a socket. */
const maxSocketPath = 107;

/** Calls `use` with a path to the directory that is short enough for sockets in it. */
async function within<T>(dir: string, use: (reach: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(dir) + 48 <= maxSocketPath) return use(dir);
  const descriptor = openSync(dir, "r");
  try {
    return await use(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}

/** A socket gets its name when it listens already: no process sees a claim that is not alive yet. */
async function placed(reach: string, name: string): Promise<Server> {
  const socket = createServer((connection) => connection.destroy());
  const unnamed = join(reach, `new-${name}`);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.listen({ path: unnamed }, resolve);
  });
  socket.unref();
  renameSync(unnamed, join(reach, name));
  return socket;
}

/** The pid of a living process with a claim, as that process sees it. Removes claims of processes that have ended. */
async function otherClaim(reach: string, own: string): Promise<number | undefined> {
  for (const name of readdirSync(reach)) {
    const [, pid] = /^lock\.([0-9]+)\./.exec(name) ?? [];
    if (pid === undefined || name === own) continue;
    const path = join(reach, name);
    if (await isAlive(path)) return Number(pid);
    rmSync(path, { force: true });
  }
  return undefined;
}

/** Everything but a refusal counts as alive: EAGAIN if many have asked a stopped process, EACCES if it is another user's. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection({ path });
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", (error) => resolve(!["ECONNREFUSED", "ENOENT"].includes(String(code(error)))));
  });
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

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { asyncFiles, type Files } from "./async-files.ts";
import { programEnvironment } from "./program-environment.ts";
import {
  type Attributes,
  type CommandResult,
  type Failure,
  type FileBytes,
  type FileStat,
  type FileText,
  type Host,
  isKernelPath,
  type Link,
  type MonitorEvents,
  type Outcome,
  refusal,
  type RunOptions,
} from "./host.ts";
import { pathBelowRoot } from "./path-below-root.ts";
import { runMonitor, watchFolder } from "./linux-events.ts";
import { serialQueue } from "./serial-queue.ts";
import { lockLedger } from "./lock-folder.ts";

/** Why a directory was not removed: it is missing, or not empty. */
const mayStay = new Set(["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"]);

const done: Outcome = { type: "done" };

/** A real node, seen through the folder where its root is mounted: `/` on the node itself, `/host` in a container. */
export class LinuxHost implements Host {
  readonly #root: string;
  readonly #files: Files;
  /** With links resolved; read when it is first needed. */
  #realRoot: string | undefined;
  readonly #held = new Map<string, FileHandle>();
  readonly #kept = new Map<string, ChildProcess>();
  readonly #turns = serialQueue();

  constructor(root = "/", files: Files = asyncFiles) {
    this.#root = root;
    this.#files = files;
  }

  read(path: string): Promise<FileText> {
    return this.#at<FileText>(path, async (file) => ({ type: "text", text: await this.#files.read(file) }), {
      type: "missing",
    });
  }

  write(path: string, text: string): Promise<Outcome> {
    return this.#at<Outcome>(path, async (file) => {
      await this.#files.write(file, text, !isKernelPath(path));
      return done;
    });
  }

  readBytes(path: string): Promise<FileBytes> {
    return this.#at<FileBytes>(path, async (file) => ({ type: "bytes", bytes: await this.#files.readBytes(file) }), {
      type: "missing",
    });
  }

  stat(path: string): Promise<FileStat> {
    return this.#at<FileStat>(
      path,
      async (file) => {
        const stats = await this.#files.stat(file);
        const owner = { uid: stats.uid, gid: stats.gid };
        if (stats.isSymbolicLink()) return { type: "link", target: (await this.#files.linkOf(file)) ?? "", ...owner };
        const type = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
        return { type, mode: stats.mode & 0o7777, ...owner };
      },
      { type: "missing" },
      { followLast: false },
    );
  }

  replace(path: string, content: string | Uint8Array, as?: number | Attributes): Promise<Outcome> {
    const attributes = typeof as === "number" ? { mode: as } : (as ?? {});
    return this.#place(path, (file) => this.#files.replace(file, content, attributes));
  }

  placeDirectory(path: string, as: Attributes): Promise<Outcome> {
    return this.#place(path, (folder) => this.#files.placeDirectory(folder, as));
  }

  placeLink(path: string, { target, isHard = false, owner }: Link): Promise<Outcome> {
    return this.#place(path, async (file) => {
      const from = isHard ? await this.#fileOf(target, false) : target;
      await this.#files.placeLink(file, from, { isHard, owner });
    });
  }

  remove(path: string): Promise<Outcome> {
    return this.#place(path, (file) => this.#files.remove(file), done);
  }

  /** Links in the path are followed, but not one that the whole path names. */
  #place(path: string, place: (file: string) => Promise<void>, missing?: Outcome): Promise<Outcome> {
    return this.#at<Outcome>(
      path,
      async (file) => {
        if (isKernelPath(path))
          return { type: "failed", code: "EPERM", message: `EPERM: operation not permitted, ${path}` };
        await place(file);
        return done;
      },
      missing,
      { followLast: false },
    );
  }

  async prune(path: string): Promise<Outcome> {
    const outcome = await this.#at<Outcome>(path, async (folder) => {
      await this.#files.removeFolder(folder);
      return done;
    });
    return outcome.type === "failed" && mayStay.has(outcome.code) ? done : outcome;
  }

  async list(path: string): Promise<string[]> {
    const names = await this.#at<{ type: "names"; names: string[] }>(path, async (folder) => ({
      type: "names",
      names: await this.#files.list(folder),
    }));
    return names.type === "names" ? names.names.toSorted() : [];
  }

  async real(path: string): Promise<string> {
    const real = await this.#at<{ type: "path"; path: string }>(path, async (file) => ({
      type: "path",
      path: await this.#files.real(file),
    }));
    if (real.type !== "path") return path;
    const root = (this.#realRoot ??= await this.#files.real(this.#root));
    return root === "/" ? real.path : real.path.slice(root.length) || "/";
  }

  async device(path: string): Promise<string | undefined> {
    const number = await this.#at<{ type: "number"; number: number }>(path, async (file) => ({
      type: "number",
      number: (await this.#files.stat(await this.#files.real(file))).dev,
    }));
    return number.type === "number" ? deviceNumber(number.number) : undefined;
  }

  /** The path as this process sees it; links on the way are followed as on the node. */
  locate(path: string): Promise<{ type: "path"; path: string } | Failure> {
    return this.#at(path, async (file) => ({ type: "path", path: file }));
  }

  hold(path: string, hex: string): Promise<Outcome> {
    return this.#at<Outcome>(path, async (file) => {
      const before = this.#held.get(path);
      if (hex !== "") {
        const handle = await open(file, constants.O_WRONLY);
        await handle.write(Buffer.from(hex, "hex"));
        this.#held.set(path, handle);
      } else this.#held.delete(path);
      // Closed after the new request is in force: in between, the kernel would honour none.
      await before?.close();
      return done;
    });
  }

  keep(name: string, argv: readonly string[]): Promise<Outcome> {
    const before = this.#kept.get(name);
    if (argv.length > 0 && before && before.exitCode === null) return Promise.resolve(done);
    this.#kept.delete(name);
    before?.kill();
    const [program, ...args] = this.#root === "/" || argv.length === 0 ? argv : ["chroot", this.#root, ...argv];
    if (program === undefined) return Promise.resolve(done);
    return new Promise((resolve) => {
      const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], env: programEnvironment });
      child.once("error", ({ message }) => resolve({ type: "failed", code: "ENOEXEC", message }));
      child.once("spawn", () => {
        this.#kept.set(name, child);
        // Neither the program nor its pipe keeps this process running.
        child.unref();
        (child.stdin as Socket).unref();
        child.stdin.on("error", () => {});
        resolve(done);
      });
    });
  }

  async watch(folder: string, changed: (name: string) => void): Promise<(() => void) | undefined> {
    const watching = await this.#at<{ type: "end"; end: () => void }>(folder, async (path) => ({
      type: "end",
      end: watchFolder(path, changed),
    }));
    return watching.type === "end" ? watching.end : undefined;
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns(async () => {
      // Short commands that change nothing need no sockets.
      const unlock = await lockLedger(this);
      try {
        return await work();
      } finally {
        await unlock();
      }
    });
  }

  monitor(argv: readonly string[], on: MonitorEvents): () => void {
    return runMonitor(this.#root === "/" ? argv : ["chroot", this.#root, ...argv], on);
  }

  run(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const { timeoutMs = 10_000, signal, env, cwd } = options;
    // chroot(1) starts at the new root: the folder can be changed only from within.
    const inside = cwd === undefined ? argv : ["env", "-C", cwd, ...argv];
    const [program, ...args] = this.#root === "/" ? argv : ["chroot", this.#root, ...inside];
    if (!program) return Promise.resolve({ type: "failed", message: "no program given" });
    return new Promise((resolve) => {
      const limits = { timeout: timeoutMs, signal, killSignal: "SIGKILL" as const, maxBuffer: 1024 * 1024 };
      const child = execFile(
        program,
        args,
        {
          ...limits,
          encoding: "utf8",
          env: { ...programEnvironment, ...env },
          ...(this.#root === "/" && cwd !== undefined ? { cwd } : {}),
        },
        (error, stdout, stderr) => {
          if (!error) return resolve({ type: "exited", code: 0, stdout, stderr });
          // What chroot prints when it cannot start the program.
          if (stderr.startsWith("chroot: ")) return resolve({ type: "failed", message: stderr.trim() });
          if (typeof error.code === "number") return resolve({ type: "exited", code: error.code, stdout, stderr });
          if (error.killed) return resolve({ type: "failed", message: `${program}: stopped after ${timeoutMs} ms` });
          const by = error.signal ?? undefined;
          if (by === undefined) return resolve({ type: "failed", message: error.message });
          resolve({ type: "failed", message: `${program}: ended by ${by}`, signal: by });
        },
      );
      child.stdin?.end();
    });
  }

  /** Turns Node's exceptions into values. `missing` is the result for a missing file. */
  async #at<T>(
    path: string,
    use: (file: string) => Promise<T | Failure>,
    missing?: T,
    { followLast = true } = {},
  ): Promise<T | Failure> {
    const refusedPath = refusal(path);
    if (refusedPath) return refusedPath;
    try {
      return await use(await this.#fileOf(path, followLast));
    } catch (error) {
      const { code = "EIO", message } = error as NodeJS.ErrnoException;
      if (missing !== undefined && (code === "ENOENT" || code === "ENOTDIR")) return missing;
      return { type: "failed", code, message };
    }
  }

  /** Links are followed as on the node: no path leads out of the root. */
  async #fileOf(path: string, followLast: boolean): Promise<string> {
    const file = join(this.#root, path);
    if (this.#root === "/") return file;
    const root = (this.#realRoot ??= await this.#files.real(this.#root));
    // One call, and enough for nearly every path: links in /sys are relative.
    const real = await this.#files.real(file).catch(() => undefined);
    if (real === root || real?.startsWith(`${root}/`)) return file;
    return pathBelowRoot({ root: this.#root, path, followLast }, this.#files);
  }
}

/** As gnu_dev_major(3) and gnu_dev_minor(3) take a number apart. */
function deviceNumber(number: number): string {
  const bits = BigInt(number);
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & ~0xfffn);
  const minor = (bits & 0xffn) | ((bits >> 12n) & ~0xffn);
  return `${major}:${minor}`;
}

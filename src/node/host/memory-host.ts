import {
  type Attributes,
  type CommandResult,
  type FileBytes,
  type FileStat,
  type FileText,
  type Host,
  isKernelPath,
  type Link,
  type Outcome,
  refusal,
  type RunOptions,
  tidy,
} from "./host.ts";
import { type MemoryBase, withoutLinks } from "./memory-base.ts";
import { type MemoryNode, MemoryNodes } from "./memory-nodes.ts";
import { type Exclusive, serialQueue } from "./serial-queue.ts";

/** A program of a machine that exists only in memory. */
export type MemoryCommand = (
  args: readonly string[],
  host: MemoryHost,
  options: RunOptions,
) => CommandResult | Promise<CommandResult>;

/** A node in memory: a base that many hosts share, and the changes of this one over it. */
export class MemoryHost implements Host {
  readonly #base: MemoryBase;
  /** `undefined`: removed. */
  readonly #overlay = new Map<string, string | undefined>();
  readonly #nodes = new MemoryNodes();
  readonly #commands: ReadonlyMap<string, MemoryCommand>;
  readonly #held = new Map<string, string>();
  readonly #kept = new Map<string, readonly string[]>();
  #turns: Exclusive | undefined;
  /** Files that were changed without a sync, with what the disk still has of them. */
  #unsynced: Map<string, string | undefined> | undefined;

  constructor(base: MemoryBase, commands: Iterable<readonly [string, MemoryCommand]> = []) {
    this.#base = base;
    // A map is shared between hosts, as the base is.
    this.#commands = commands instanceof Map ? commands : new Map(commands);
  }

  async read(path: string): Promise<FileText> {
    const refused = refusal(path);
    if (refused) return refused;
    const text = this.#text(this.#file(path));
    return text === undefined ? { type: "missing" } : { type: "text", text };
  }

  async write(path: string, text: string): Promise<Outcome> {
    const refused = refusal(path);
    if (refused) return refused;
    const file = this.#file(path);
    if (!isKernelPath(file)) return this.#putUnsynced(file, text);
    const before = this.#text(file);
    if (before === undefined) return failed("ENOENT", file, "no such file or directory");
    if (this.#base.isReadOnly(file)) return failed("EACCES", file, "permission denied");
    if (!kernelTakes(file, before, text)) return failed("EINVAL", file, "invalid argument");
    const other = displaces.get(file);
    if (other !== undefined && this.#text(other) !== undefined && text.trim() !== "0") this.#put(other, "0\n");
    return this.#put(file, `${text.trimEnd()}\n`);
  }

  async readBytes(path: string): Promise<FileBytes> {
    const file = await this.read(path);
    if (file.type !== "text") return file;
    const node = this.#nodes.get(this.#file(path));
    const bytes = node?.type === "file" ? node.bytes : undefined;
    return { type: "bytes", bytes: bytes ?? new TextEncoder().encode(file.text) };
  }

  async stat(path: string): Promise<FileStat> {
    const refused = refusal(path);
    if (refused) return refused;
    const file = this.#named(path);
    const target = this.#linkOf(file);
    const node = this.#nodes.get(file);
    if (target !== undefined) return { type: "link", target, uid: node?.uid ?? 0, gid: node?.gid ?? 0 };
    const { mode, uid = 0, gid = 0 } = node?.type === "file" || node?.type === "directory" ? node : {};
    if (this.#text(file) !== undefined) return { type: "file", mode: mode ?? 0o644, uid, gid };
    if (node?.type === "directory" || (await this.list(path)).length > 0)
      return { type: "directory", mode: mode ?? 0o755, uid, gid };
    return { type: "missing" };
  }

  async replace(path: string, content: string | Uint8Array, as?: number | Attributes): Promise<Outcome> {
    const { mode, uid = 0, gid = 0 } = typeof as === "number" ? { mode: as } : (as ?? {});
    const text = typeof content === "string" ? content : new TextDecoder().decode(content);
    const isText = typeof content === "string" || isSame(new TextEncoder().encode(text), content);
    return this.#place(path, "file", text, (before) => {
      const kept = mode ?? (before?.type === "file" ? before.mode : undefined) ?? 0o644;
      if (isText && kept === 0o644 && uid === 0 && gid === 0) return undefined;
      return { type: "file", mode: kept, uid, gid, ...(isText ? {} : { bytes: content }) };
    });
  }

  async placeDirectory(path: string, as: Attributes): Promise<Outcome> {
    return this.#place(path, "directory", undefined, () => ({ type: "directory", ...as }));
  }

  async placeLink(path: string, { target, isHard = false, owner = { uid: 0, gid: 0 } }: Link): Promise<Outcome> {
    if (!isHard) return this.#place(path, "file", undefined, () => ({ type: "link", target, ...owner }));
    const file = await this.readBytes(target);
    if (file.type !== "bytes") return failed("ENOENT", target, "no such file or directory");
    const stat = await this.stat(target);
    return this.replace(path, file.bytes, stat.type === "file" ? stat : undefined);
  }

  async remove(path: string): Promise<Outcome> {
    if ((await this.stat(path)).type === "missing") return { type: "done" };
    return this.#place(path, "file", undefined, () => undefined);
  }

  /** Directories without a mode of their own exist here only as long as they have files. */
  async prune(path: string): Promise<Outcome> {
    const refused = refusal(path);
    if (refused) return refused;
    if ((await this.list(path)).length === 0) this.#nodes.removeDirectory(this.#named(path));
    return { type: "done" };
  }

  /** Puts something else in the place of a file or link. A directory is never replaced by a file, nor a file by one. */
  async #place(
    path: string,
    kind: "file" | "directory",
    text: string | undefined,
    become: (before: MemoryNode | undefined) => MemoryNode | undefined,
  ): Promise<Outcome> {
    const refused = refusal(path);
    if (refused) return refused;
    if (isKernelPath(path)) return failed("EPERM", path, "operation not permitted");
    const present = await this.stat(path);
    if (kind === "file" && present.type === "directory") return failed("EISDIR", path, "is a directory");
    if (kind === "directory" && present.type !== "directory" && present.type !== "missing")
      return failed("ENOTDIR", path, "not a directory");
    const file = this.#named(path);
    const node = become(this.#nodes.get(file));
    this.#nodes.set(file, node ?? (this.#base.linkOf(file) === undefined ? undefined : { type: "no link" }));
    this.#unsynced?.delete(file);
    return kind === "directory" ? { type: "done" } : this.#put(file, text);
  }

  async list(path: string): Promise<string[]> {
    if (refusal(path)) return [];
    const folder = this.#file(path);
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const names = new Set(this.#base.names(folder));
    for (const [file, text] of this.#overlay) {
      if (!file.startsWith(prefix)) continue;
      const [name = "", ...deeper] = file.slice(prefix.length).split("/");
      if (text !== undefined) names.add(name);
      else if (deeper.length === 0) names.delete(name);
    }
    this.#nodes.rename(folder, names, (file) => this.#text(file) !== undefined);
    return [...names].toSorted();
  }

  async real(path: string): Promise<string> {
    return refusal(path) ? path : this.#file(path);
  }

  /** By the mounts that its files name. */
  async device(path: string): Promise<string | undefined> {
    const mounts = this.#text("/proc/self/mountinfo")?.split("\n") ?? [];
    const at = `${this.#file(path)}/`;
    const [longest] = mounts
      .map((line) => line.split(" "))
      .filter(([, , , , point = ""]) => at.startsWith(point === "/" ? "/" : `${point}/`))
      .toSorted(([, , , , a = ""], [, , , , b = ""]) => b.length - a.length);
    return longest?.[2];
  }

  async hold(path: string, hex: string): Promise<Outcome> {
    const refused = refusal(path);
    if (refused) return refused;
    if (hex === "") this.#held.delete(path);
    else if (this.#text(this.#file(path)) === undefined) return failed("ENOENT", path, "no such file or directory");
    else this.#held.set(path, hex);
    return { type: "done" };
  }

  async keep(name: string, argv: readonly string[]): Promise<Outcome> {
    if (argv.length === 0) this.#kept.delete(name);
    else this.#kept.set(name, argv);
    return { type: "done" };
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    this.#turns ??= serialQueue();
    return this.#turns(work);
  }

  async run(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const [program = "", ...args] = argv;
    const name = program.slice(program.lastIndexOf("/") + 1);
    const command = this.#commands.get(name) ?? (name === "cat" ? cat : undefined);
    return command ? command(args, this, options) : { type: "failed", message: `${program}: no such program` };
  }

  /** Paths that this host changed, with their texts; `undefined` for a removed file. */
  changes(): ReadonlyMap<string, string | undefined> {
    return this.#overlay;
  }

  /** The programs that `keep` runs, by name. */
  kept(): ReadonlyMap<string, readonly string[]> {
    return this.#kept;
  }

  /** The files that `hold` keeps open, with their bytes. */
  held(): ReadonlyMap<string, string> {
    return this.#held;
  }

  /** Sets a file as the kernel or the firmware would, without the checks of `write`; `undefined` removes it. */
  put(path: string, text: string | undefined): void {
    this.#put(this.#file(path), text);
  }

  /**
   * Starts the machine again. Files below the folders in `volatile` are those of the base again; a power cut also loses what
   * was not synced.
   */
  restart(volatile: readonly string[], how: "shutdown" | "power cut"): void {
    if (how === "power cut") for (const [file, onDisk] of this.#unsynced ?? []) this.#put(file, onDisk);
    this.#unsynced = undefined;
    for (const file of this.#overlay.keys())
      if (volatile.some((folder) => file.startsWith(`${folder}/`))) this.#overlay.delete(file);
    this.#nodes.forget(volatile);
    this.#held.clear();
    this.#kept.clear();
  }

  #file(path: string): string {
    return this.#resolved(path, true);
  }

  /** Without the links on the way, but for one that the whole path names. */
  #named(path: string): string {
    return this.#resolved(path, false);
  }

  #resolved(path: string, followLast: boolean): string {
    if (!this.#base.hasLinks && !this.#nodes.hasLinks) return tidy(path);
    return withoutLinks(path, (at) => this.#linkOf(at), { followLast });
  }

  #linkOf(path: string): string | undefined {
    const node = this.#nodes.get(path);
    return node ? (node.type === "link" ? node.target : undefined) : this.#base.linkOf(path);
  }

  #text(file: string): string | undefined {
    return this.#overlay.has(file) ? this.#overlay.get(file) : this.#base.read(file);
  }

  #putUnsynced(file: string, text: string | undefined): Outcome {
    this.#unsynced ??= new Map();
    if (!this.#unsynced.has(file)) this.#unsynced.set(file, this.#text(file));
    return this.#put(file, text);
  }

  #put(file: string, text: string | undefined): Outcome {
    // A change back to the base is dropped: thousands of hosts keep only their differences.
    if (this.#base.read(file) === text) this.#overlay.delete(file);
    else this.#overlay.set(file, text);
    return { type: "done" };
  }
}

/** Sysctls that express the same limit in two units: setting one makes the kernel set the other to 0. */
const displaces = new Map(
  ["dirty", "dirty_background"].flatMap((name): [string, string][] => {
    const [bytes, ratio] = [`/proc/sys/vm/${name}_bytes`, `/proc/sys/vm/${name}_ratio`];
    return [
      [bytes, ratio],
      [ratio, bytes],
    ];
  }),
);

/** Numeric sysctls accept numbers only, and no more of them than they have. */
function kernelTakes(file: string, before: string, text: string): boolean {
  if (!file.startsWith("/proc/sys/")) return true;
  const has = before.trim().split(/\s+/);
  if (!has.every(isInteger)) return true;
  const given = text.trim().split(/\s+/);
  return given.length <= has.length && given.every(isInteger);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function isInteger(text: string): boolean {
  return /^-?[0-9]{1,20}$/.test(text);
}

function failed(code: string, path: string, reason: string): Outcome {
  return { type: "failed", code, message: `${code}: ${reason}, ${path}` };
}

const cat: MemoryCommand = async (args, host) => {
  let stdout = "";
  for (const path of args) {
    const file = await host.read(path);
    if (file.type !== "text")
      return { type: "exited", code: 1, stdout, stderr: `cat: ${path}: No such file or directory\n` };
    stdout += file.text;
  }
  return { type: "exited", code: 0, stdout, stderr: "" };
};

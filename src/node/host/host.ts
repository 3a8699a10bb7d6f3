/** The files and programs of one node. Paths are absolute, as the node itself sees them. */
export interface Host {
  read(path: string): Promise<FileText>;
  /**
   * Writes in place, in one call: what the kernel's files want. Files below /proc and /sys are never created; elsewhere
   * a missing file is, folders included.
   */
  write(path: string, text: string): Promise<Outcome>;
  /** A file of more than 64 MiB is refused: EFBIG. */
  readBytes(path: string): Promise<FileBytes>;
  /** What a path names. The last link of it is not followed, those before are. */
  stat(path: string): Promise<FileStat>;
  /**
   * Replaces a whole file: a crash leaves the old content or the new one, and the new one is synced to disk. A link that the
   * path names is replaced itself. Without a mode the file keeps its mode; without an owner it is the process's.
   */
  replace(path: string, content: string | Uint8Array, as?: number | Attributes): Promise<Outcome>;
  /** Makes a directory, and those above it with mode 0755. A directory that is there gets the mode and the owner. */
  placeDirectory(path: string, as: Attributes): Promise<Outcome>;
  /** Makes a link in the place of a file or link, as `replace` does. The target of a hard link is a path of the node. */
  placeLink(path: string, link: Link): Promise<Outcome>;
  /** Removes a file or a link, and returns when that is synced to disk. Removing a missing file succeeds. */
  remove(path: string): Promise<Outcome>;
  /** Removes an empty directory. One that is missing or has files stays as it is, which is no failure. */
  prune(path: string): Promise<Outcome>;
  /** Names in a folder, sorted; empty for a missing folder. */
  list(path: string): Promise<string[]>;
  /** The path with all links resolved; the path itself if it does not exist. */
  real(path: string): Promise<string>;
  /** Major and minor number of the device whose file system has the path: `8:1`. A link is followed. */
  device?(path: string): Promise<string | undefined>;
  /**
   * Keeps a file open with these bytes written to it, instead of the bytes held there before: the kernel honours a request
   * in `/dev/cpu_dma_latency` only while the file is open. Empty bytes close the file.
   */
  hold?(path: string, hex: string): Promise<Outcome>;
  /**
   * Keeps a program running until `keep` is called with an empty argv, or until this process ends: then the program reads
   * the end of its input. A program that already runs under this name stays.
   */
  keep?(name: string, argv: readonly string[]): Promise<Outcome>;
  /**
   * Calls `changed` with the name of each file in a folder that is written, created or removed, by any process of the node.
   * Changes by the kernel itself are not reported. Returns a function that ends it; `undefined` where the folder cannot be
   * watched.
   */
  watch?(folder: string, changed: (name: string) => void): Promise<(() => void) | undefined>;
  /**
   * Runs work that changes the ledger of originals while no other process of the node runs such work: waits for its turn.
   * Must not be called within itself.
   */
  exclusive?<T>(work: () => Promise<T>): Promise<T>;
  /** Starts a program that runs on, and passes on its lines. Returns a function that ends it. */
  monitor?(argv: readonly string[], on: MonitorEvents): () => void;
  /** Runs a program without a shell. */
  run(argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
}

export interface MonitorEvents {
  line(text: string): void;
  /** It could not be started, or it ended by itself. */
  ended(why: string): void;
}

export interface Attributes extends Owner {
  readonly mode: number;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Link {
  readonly target: string;
  readonly isHard?: boolean;
  readonly owner?: Owner;
}

export type FileBytes = { type: "bytes"; bytes: Uint8Array } | { type: "missing" } | Failure;

export type FileStat =
  | ({ type: "file" | "directory" | "other" } & Attributes)
  | ({ type: "link"; target: string } & Owner)
  | { type: "missing" }
  | Failure;

export type FileText = { type: "text"; text: string } | { type: "missing" } | Failure;

export type Outcome = { type: "done" } | Failure;

/** `code` as the kernel names it: EACCES, EINVAL, ENOENT, … */
export interface Failure {
  type: "failed";
  code: string;
  message: string;
}

export interface RunOptions {
  /** After which the program is killed. Default 10 s. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Added to the environment, which is otherwise the same for every program. */
  env?: Readonly<Record<string, string>> | undefined;
  /** The folder it is started in. */
  cwd?: string | undefined;
}

export type CommandResult =
  | { type: "exited"; code: number; stdout: string; stderr: string }
  /** Not started, or ended by the time limit or by the signal of another process. */
  | { type: "failed"; message: string; signal?: string };

/** In the kernel's own file systems, where files cannot be created. */
export function isKernelPath(path: string): boolean {
  return path.startsWith("/proc/") || path.startsWith("/sys/");
}

/** Why a host refuses a path; undefined for a path that it accepts. */
export function refusal(path: string): Failure | undefined {
  if (!path.startsWith("/") || path.includes("\0")) return refused(path, "is not an absolute path");
  if (path.split("/").includes("..")) return refused(path, "may not contain ..");
  return undefined;
}

/** Where a file is written before it gets its name. Always the same place, so that the next write clears what a kill left. */
export function besideOf(file: string): string {
  const slash = file.lastIndexOf("/");
  return `${file.slice(0, slash + 1)}.${file.slice(slash + 1)}.attune-new`;
}

/** Why state of the node could not be written, with advice where its file system is read-only. */
export function unwritten(what: string, { code, message }: Failure): string {
  const advice = code === "EROFS" ? "; nothing is tuned: /var/lib/attune must be writable" : "";
  return `write ${what}: ${message}${advice}`;
}

export function refused(path: string, why: string): Failure {
  return { type: "failed", code: "EINVAL", message: `${path} ${why}` };
}

/** `/a//b/` → `/a/b` */
export function tidy(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}

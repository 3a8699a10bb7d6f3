export interface File {
  readonly type: "file";
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

export interface Folder {
  readonly type: "directory";
  readonly mode: number;
  readonly mtime: number;
}

export interface Link {
  readonly type: "symlink";
  /** Relative to the folder of the link, or absolute. */
  readonly to: string;
  readonly mtime: number;
}

export type Entry = File | Folder | Link;

/** The files of one layer by path, without a leading slash. All belong to root. */
export class FileTree {
  readonly #entries = new Map<string, Entry>();

  /** Packages share folders: the first decides. A file that two packages have is an error. */
  add(path: string, entry: Entry): void {
    const known = this.#entries.get(path);
    if (known?.type === "directory" && entry.type === "directory") return;
    if (known) throw new Error(`add ${path} to the image: it is there already`);
    this.#entries.set(path, entry);
  }

  /** A file of our own, readable by all. */
  write(path: string, content: string | Buffer, { mtime, mode = 0o644 }: { mtime: number; mode?: number }): void {
    this.add(path, { type: "file", bytes: Buffer.from(content), mode, mtime });
  }

  get(path: string): Entry | undefined {
    return this.#entries.get(path);
  }

  /** In the order of their paths, each after the folders that it is in. */
  entries(): [path: string, entry: Entry][] {
    const all = new Map(this.#entries);
    for (const [path, { mtime }] of this.#entries)
      for (const folder of foldersOf(path))
        if (!all.has(folder)) all.set(folder, { type: "directory", mode: 0o755, mtime });
    return [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The latest time of change. */
  get newest(): number {
    return Math.max(0, ...[...this.#entries.values()].map(({ mtime }) => mtime));
  }

  /** Bytes of all files. */
  get size(): number {
    return [...this.#entries.values()].reduce(
      (sum, entry) => sum + (entry.type === "file" ? entry.bytes.length : 0),
      0,
    );
  }
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

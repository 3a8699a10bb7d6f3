import type { FileView } from "../../language/cpu/read-topology.ts";
import type { ArchiveEntry } from "./archive-entry.ts";

/** The limit of the kernel. */
const mostLinks = 40;

/** An archive as a file system. Links are followed within the archive, never outside. */
export class ArchiveView implements FileView {
  readonly #entries = new Map<string, ArchiveEntry>();
  readonly #folders = new Map<string, Set<string>>([["", new Set()]]);

  constructor(entries: Iterable<ArchiveEntry>) {
    for (const entry of entries) {
      this.#entries.set(entry.path, entry);
      this.#place(entry.path);
      if (entry.type === "folder" && !this.#folders.has(entry.path)) this.#folders.set(entry.path, new Set());
    }
  }

  read(path: string): string | undefined {
    const entry = this.#entries.get(this.#real(path) ?? "");
    return entry?.type === "file" ? new TextDecoder().decode(entry.bytes) : undefined;
  }

  list(path: string): readonly string[] {
    const real = this.#real(path);
    return real === undefined ? [] : [...(this.#folders.get(real) ?? [])].toSorted();
  }

  /** Adds the path to every folder above it. */
  #place(path: string): void {
    for (let child = path; child !== "";) {
      const slash = child.lastIndexOf("/");
      const folder = slash < 0 ? "" : child.slice(0, slash);
      const names = this.#folders.get(folder) ?? new Set();
      const known = names.has(child.slice(slash + 1));
      this.#folders.set(folder, names.add(child.slice(slash + 1)));
      if (known) return;
      child = folder;
    }
  }

  /** The path with all links resolved; undefined for a cycle of links. */
  #real(path: string): string | undefined {
    const todo = path.split("/").toReversed();
    const done: string[] = [];
    for (let links = 0; ;) {
      const name = todo.pop();
      if (name === undefined) return done.join("/");
      if (name === "" || name === ".") continue;
      if (name === "..") {
        // The parent of the root is the root.
        done.pop();
        continue;
      }
      done.push(name);
      const entry = this.#entries.get(done.join("/"));
      if (entry?.type !== "link") continue;
      if (++links > mostLinks) return undefined;
      if (entry.to.startsWith("/")) done.length = 0;
      else done.pop();
      todo.push(...entry.to.split("/").toReversed());
    }
  }
}

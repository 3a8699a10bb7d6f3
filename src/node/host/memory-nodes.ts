import type { Attributes, Owner } from "./host.ts";

/** What a host in memory keeps of a path beside its text: most files have none of it. */
export type MemoryNode =
  /** `bytes`: where the content is no text. */
  | ({ readonly type: "file"; readonly bytes?: Uint8Array } & Attributes)
  | ({ readonly type: "directory" } & Attributes)
  | ({ readonly type: "link"; readonly target: string } & Owner)
  /** In the place of a link of the base. */
  | ({ readonly type: "no link" } & Partial<Owner>);

/** Directories, links, and files with a mode or an owner of their own, by path. */
export class MemoryNodes {
  #nodes: Map<string, MemoryNode> | undefined;
  #links = 0;

  get hasLinks(): boolean {
    return this.#links > 0;
  }

  get(path: string): MemoryNode | undefined {
    return this.#nodes?.get(path);
  }

  set(path: string, node: MemoryNode | undefined): void {
    if (this.get(path)?.type === "link") this.#links--;
    if (node?.type === "link") this.#links++;
    if (node) (this.#nodes ??= new Map()).set(path, node);
    else this.#nodes?.delete(path);
  }

  removeDirectory(path: string): void {
    if (this.get(path)?.type === "directory") this.set(path, undefined);
  }

  /** Corrects the names that a folder has by its files alone. `isFile` says whether there is a file now. */
  rename(folder: string, names: Set<string>, isFile: (path: string) => boolean): void {
    const prefix = folder === "/" ? "/" : `${folder}/`;
    for (const [path, { type }] of this.#nodes ?? []) {
      if (!path.startsWith(prefix)) continue;
      const [name = "", ...deeper] = path.slice(prefix.length).split("/");
      if (type === "directory" || type === "link") names.add(name);
      else if (type === "no link" && deeper.length === 0 && !isFile(path)) names.delete(name);
    }
  }

  /** Forgets everything below some folders. */
  forget(folders: readonly string[]): void {
    for (const path of this.#nodes?.keys() ?? [])
      if (folders.some((folder) => path.startsWith(`${folder}/`))) this.set(path, undefined);
  }
}

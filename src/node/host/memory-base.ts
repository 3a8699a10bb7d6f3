import { tidy } from "./host.ts";

/** The files that all machines of a kind start with. Shared by any number of hosts and never changed. */
export class MemoryBase {
  readonly #files: ReadonlyMap<string, string>;
  readonly #readOnly: ReadonlySet<string>;
  readonly #links: ReadonlyMap<string, string>;
  #folders: Map<string, Set<string>> | undefined;

  constructor(
    files: Iterable<readonly [path: string, text: string]>,
    readOnly: Iterable<string> = [],
    links: Iterable<readonly [path: string, to: string]> = [],
  ) {
    this.#files = new Map([...files].map(([path, text]) => [tidy(path), text]));
    this.#readOnly = new Set(readOnly);
    this.#links = new Map([...links].map(([path, to]) => [tidy(path), tidy(to)]));
  }

  get hasLinks(): boolean {
    return this.#links.size > 0;
  }

  linkOf(path: string): string | undefined {
    return this.#links.get(path);
  }

  read(path: string): string | undefined {
    return this.#files.get(path);
  }

  isReadOnly(path: string): boolean {
    return this.#readOnly.has(path);
  }

  /** Names in a folder. Built at the first question: most machines are never asked. */
  names(folder: string): ReadonlySet<string> {
    this.#folders ??= foldersOf([...this.#files.keys(), ...this.#links.keys()]);
    return this.#folders.get(folder) ?? new Set();
  }
}

/** A tidy path with its links resolved; `followLast`: also one that the whole path names. */
export function withoutLinks(
  path: string,
  linkOf: (path: string) => string | undefined,
  { followLast = true } = {},
): string {
  const ahead = path.split("/");
  let at = "";
  // The kernel follows at most this many links too.
  for (let followed = 0; ahead.length > 0 && followed < 40;) {
    const name = ahead.shift() ?? "";
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      continue;
    }
    const to = ahead.length > 0 || followLast ? linkOf(`${at}/${name}`) : undefined;
    if (to === undefined) at = `${at}/${name}`;
    else {
      followed++;
      if (to.startsWith("/")) at = "";
      ahead.unshift(...to.split("/"));
    }
  }
  return at === "" ? "/" : at;
}

function foldersOf(paths: Iterable<string>): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let child = path; child !== "/";) {
      const slash = child.lastIndexOf("/");
      const folder = slash === 0 ? "/" : child.slice(0, slash);
      const names = folders.get(folder);
      const name = child.slice(slash + 1);
      if (names?.has(name)) break;
      if (names) names.add(name);
      else folders.set(folder, new Set([name]));
      child = folder;
    }
  }
  return folders;
}

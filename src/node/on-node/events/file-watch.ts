import type { Host } from "../../host/host.ts";

/** Each watched folder costs the kernel about a kilobyte; a machine with more interrupts is left to the resync. */
const mostFolders = 4096;

/** Watches files by their folders: one watch serves many files, and stays when a file is replaced. */
export class FileWatch {
  readonly #host: Host;
  readonly #changed: (path: string) => void;
  #files: ReadonlySet<string> = new Set();
  readonly #folders = new Map<string, () => void>();
  #closed = false;

  constructor(host: Host, changed: (path: string) => void) {
    this.#host = host;
    this.#changed = changed;
  }

  /** Watches these files and no others; `folder/*` is every file in it. `renew`: folders may have been removed and created since. */
  async set(files: readonly string[], { renew = false } = {}): Promise<void> {
    if (!this.#host.watch || this.#closed) return;
    this.#files = new Set(files);
    const wanted = new Set([...this.#files].map(folderOf));
    for (const [folder, end] of this.#folders)
      if (renew || !wanted.has(folder)) {
        this.#folders.delete(folder);
        end();
      }
    for (const folder of wanted) {
      if (this.#folders.has(folder) || this.#folders.size >= mostFolders) continue;
      const end = await this.#host.watch(folder || "/", (name) => this.#note(folder, name));
      if (this.#closed) return end?.();
      if (end) this.#folders.set(folder, end);
    }
  }

  close(): void {
    this.#closed = true;
    this.#files = new Set();
    for (const end of this.#folders.values()) end();
    this.#folders.clear();
  }

  #note(folder: string, name: string): void {
    const path = `${folder}/${name}`;
    if (this.#files.has(path) || this.#files.has(`${folder}/*`)) this.#changed(path);
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

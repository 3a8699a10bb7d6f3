export interface SharedFile {
  readonly text: string;
  /** When it was written, in milliseconds of the wall clock. */
  readonly at: number;
}

/** An emptyDir: files by name, which end with the pod. */
export class SharedFiles {
  readonly #files = new Map<string, SharedFile>();
  readonly #watchers = new Set<() => unknown>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  list(): ReadonlyMap<string, SharedFile> {
    return this.#files;
  }

  write(name: string, text: string): void {
    this.#files.set(name, { text, at: this.#now() });
    this.#changed();
  }

  remove(name: string): void {
    if (this.#files.delete(name)) this.#changed();
  }

  /** Calls back after every change until the returned function is called. */
  watch(changed: () => unknown): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

import type {
  Attributes,
  CommandResult,
  FileBytes,
  FileStat,
  FileText,
  Host,
  Link,
  Outcome,
  RunOptions,
} from "../../host/host.ts";

/** Stands for the end of the process. */
export class Crash extends Error {}

/** A host whose engine is killed just before or just after its n-th change. */
export class CrashingHost implements Host {
  readonly #host: Host;
  readonly #when: "before" | "after";
  #left: number;

  constructor(host: Host, change: number, when: "before" | "after") {
    this.#host = host;
    this.#left = change;
    this.#when = when;
  }

  read(path: string): Promise<FileText> {
    return this.#host.read(path);
  }

  list(path: string): Promise<string[]> {
    return this.#host.list(path);
  }

  real(path: string): Promise<string> {
    return this.#host.real(path);
  }

  write(path: string, text: string): Promise<Outcome> {
    return this.#change(() => this.#host.write(path, text));
  }

  readBytes(path: string): Promise<FileBytes> {
    return this.#host.readBytes(path);
  }

  stat(path: string): Promise<FileStat> {
    return this.#host.stat(path);
  }

  replace(path: string, content: string | Uint8Array, as?: number | Attributes): Promise<Outcome> {
    return this.#change(() => this.#host.replace(path, content, as));
  }

  placeDirectory(path: string, as: Attributes): Promise<Outcome> {
    return this.#change(() => this.#host.placeDirectory(path, as));
  }

  placeLink(path: string, link: Link): Promise<Outcome> {
    return this.#change(() => this.#host.placeLink(path, link));
  }

  remove(path: string): Promise<Outcome> {
    return this.#change(() => this.#host.remove(path));
  }

  prune(path: string): Promise<Outcome> {
    return this.#change(() => this.#host.prune(path));
  }

  run(argv: readonly string[], options?: RunOptions): Promise<CommandResult> {
    return this.#change(() => this.#host.run(argv, options));
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#host.exclusive ? this.#host.exclusive(work) : work();
  }

  async device(path: string): Promise<string | undefined> {
    return this.#host.device?.(path);
  }

  async #change<T>(change: () => Promise<T>): Promise<T> {
    if (this.#left < 0) throw new Crash();
    const last = this.#left-- === 0;
    if (last && this.#when === "before") throw new Crash();
    const outcome = await change();
    if (last) throw new Crash();
    return outcome;
  }
}

import type { ArchiveEntry } from "../../../node/snapshot/archive-entry.ts";

/** A part of a bundle. */
export interface BundlePart {
  add(path: string, text: string): void;
  leave(what: string, because: string): void;
}

/** The files of a support bundle, within a limit. What does not fit is left out, and named. */
export class Bundle implements BundlePart {
  readonly #folder: string;
  readonly #most: number;
  readonly #entries: ArchiveEntry[] = [];
  readonly #leftOut: string[] = [];
  #bytes = 0;

  /** `most`: bytes of all files together, before they are compressed. */
  constructor(folder: string, most: number) {
    this.#folder = folder;
    this.#most = most;
  }

  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  add(path: string, text: string): void {
    const bytes = Buffer.from(text);
    if (this.#bytes + bytes.length > this.#most)
      return this.leave(path, `it has ${bytes.length} bytes, and the bundle would be too large`);
    this.#bytes += bytes.length;
    this.#entries.push({ type: "file", path: `${this.#folder}/${path}`, bytes });
  }

  leave(what: string, because: string): void {
    this.#leftOut.push(`${what}: ${because}`);
  }

  /** The files of one of several clusters. */
  under(folder: string): BundlePart {
    return {
      add: (path, text) => this.add(`${folder}/${path}`, text),
      leave: (what, because) => this.leave(`${folder}/${what}`, because),
    };
  }

  /** With a last file that says what is missing. */
  entries(): readonly ArchiveEntry[] {
    const text = this.#leftOut.map((line) => `${line}\n`).join("");
    return [...this.#entries, { type: "file", path: `${this.#folder}/left-out.txt`, bytes: Buffer.from(text) }];
  }
}

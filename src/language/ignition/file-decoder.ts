import { Base64Decoder } from "./base64.ts";
import { dataOf, isDataUrl } from "./data-url.ts";
import type { ResourceEntry } from "./document.ts";
import { gunzip } from "./gunzip.ts";

export type Decoded =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  /** Why not: the rest of a sentence about the source. */
  | { readonly type: "problem"; readonly problem: string };

/** Of all files together: a compressed file of a few kilobytes can stand for gigabytes. */
export const mostDecompressedBytes = 16 * 1024 * 1024;

/** Of deflate: no byte stands for more. */
const mostRatio = 1032;

/** Decodes the files of some configs, each once: merging keeps the entries of their contents. */
export class FileDecoder {
  readonly #decoded = new Map<ResourceEntry, Decoded>();
  readonly #base64 = new Base64Decoder();
  #left: number;
  /** Work too: one that fails has been decompressed in part, and there may be many of them. */
  #work: number;

  constructor(limit = mostDecompressedBytes) {
    this.#left = limit;
    this.#work = 2 * limit;
  }

  decode(contents: ResourceEntry): Decoded {
    let decoded = this.#decoded.get(contents);
    if (!decoded) {
      decoded = this.#read(contents);
      this.#decoded.set(contents, decoded);
    }
    return decoded;
  }

  #read({ source = "", compression }: ResourceEntry): Decoded {
    if (source === "") return { type: "bytes", bytes: new Uint8Array() };
    if (!isDataUrl(source)) return { type: "problem", problem: "must be a data URL: nodes download nothing" };
    const bytes = dataOf(source, this.#base64);
    if (!bytes) return { type: "problem", problem: "must be a data URL that can be decoded" };
    if (compression !== "gzip") return { type: "bytes", bytes };
    if (this.#work <= 0) return { type: "problem", problem: "was not decompressed: too much else was" };
    const unpacked = gunzip(bytes, this.#left);
    if (unpacked.type === "problem") {
      this.#work -= Math.min(this.#left, bytes.length * mostRatio);
      return { type: "problem", problem: `its data ${unpacked.problem}` };
    }
    this.#left -= unpacked.bytes.length;
    return unpacked;
  }
}

import { ArchiveError } from "./archive-entry.ts";

export const blockSize = 512;

/** One header block of a tar archive. */
export interface TarHeader {
  readonly name: string;
  readonly size: number;
  /** One character: `0` a file, `5` a folder, `2` a link, `L` a long name for what follows, … */
  readonly type: string;
  readonly link: string;
}

export const notTar = (): ArchiveError => new ArchiveError("not a tar archive, or a damaged one");

/** Undefined for a block of zeros, which ends an archive. */
export function readHeader(block: Uint8Array): TarHeader | undefined {
  const sum = checksum(block);
  if (sum === blanks && block.every((byte) => byte === 0)) return undefined;
  if (number(block, 148, 8) !== sum) throw notTar();
  const prefix = text(block, 257, 5) === "ustar" && block[262] === 0 ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: number(block, 124, 12),
    type: String.fromCharCode(block[156] ?? 0).replace("\0", "0"),
    link: text(block, 157, 100),
  };
}

/** `name` and `link` must fit. */
export function writeHeader({ name, size, type, link }: TarHeader): Uint8Array {
  const block = Buffer.alloc(blockSize);
  block.write(name, 0, 100, "utf8");
  block.write(octal(type === "5" ? 0o755 : 0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(type, 156);
  block.write(link, 157, 100, "utf8");
  block.write("ustar\x0000", 257, "latin1");
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** The checksum of zeros. */
const blanks = 8 * 0x20;

/** All bytes, those of the checksum itself counted as blanks. */
function checksum(block: Uint8Array): number {
  let sum = blanks;
  // By index: an archive has tens of thousands of headers, and an iterator takes ten times as long.
  for (let at = 0; at < block.length; at++) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

const decoder = new TextDecoder();

function text(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits; GNU tar writes what does not fit in binary, with the highest bit set. */
function number(block: Uint8Array, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  if ((field[0] ?? 0) & 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & 0x7f);
    if (!Number.isSafeInteger(value)) throw new ArchiveError("an entry of impossible size");
    return value;
  }
  const digits = text(block, at, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw notTar();
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

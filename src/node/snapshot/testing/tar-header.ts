/** One header block of a tar archive. `name` and `link` must fit. */
export interface TarHeader {
  readonly name: string;
  readonly size: number;
  /** One character: `0` a file, `5` a folder, `1` and `2` links, `L` a long name for what follows, `x` pax records. */
  readonly type: string;
  readonly link: string;
}

const blockSize = 512;

/** Writes any header, also one that tar-stream would not write. */
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

/** All bytes, with blanks in place of the checksum itself. */
function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at < 148 || at >= 156 ? byte : 0x20), 0);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

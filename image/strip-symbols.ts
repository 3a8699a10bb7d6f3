/**
 * A 64-bit ELF program without what only debuggers read: the symbols behind its last segment, and the table of sections. The
 * kernel and the loader read segments alone, so this needs no tool for the program's architecture.
 */
export function stripSymbols(program: Buffer): Buffer {
  const isElf = program.subarray(0, 6).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]));
  if (!isElf) throw new Error("strip symbols: not a 64-bit little-endian ELF program");
  const table = Number(program.readBigUInt64LE(0x20));
  const [size, count] = [program.readUInt16LE(0x36), program.readUInt16LE(0x38)];
  const ends = Array.from({ length: count }, (_, index) => {
    const segment = table + index * size;
    return Number(program.readBigUInt64LE(segment + 0x08) + program.readBigUInt64LE(segment + 0x20));
  });
  const stripped = Buffer.from(program.subarray(0, Math.max(table + count * size, ...ends)));
  // Offset, number and name index of sections.
  stripped.writeBigUInt64LE(0n, 0x28);
  stripped.fill(0, 0x3a, 0x40);
  return stripped;
}

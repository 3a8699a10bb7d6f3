/** The bytes are not a protobuf message of the expected kind. */
export class WireError extends Error {
  override readonly name = "WireError";
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Reads the protobuf wire format. Every read is checked against the end of the message. */
export class WireReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** The number and wire type of the next field. */
  tag(): { field: number; wireType: number } {
    const tag = this.unsigned();
    return { field: Math.floor(tag / 8), wireType: tag % 8 };
  }

  /** Exact up to 2^53, as are numbers in JSON. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new WireError("a number has too many bytes");
  }

  /** int32 and int64: a negative number is encoded as its two's complement in ten bytes. */
  signed(): number | bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return exact(BigInt.asIntN(64, value));
    }
    throw new WireError("a number has too many bytes");
  }

  double(): number {
    const at = this.#advance(8);
    return this.#bytes.readDoubleLE(at);
  }

  bytes(): Buffer {
    const length = this.unsigned();
    const at = this.#advance(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  message(): WireReader {
    const bytes = this.bytes();
    return new WireReader(bytes);
  }

  skip(wireType: number): void {
    if (wireType === wireTypes.varint) this.signed();
    else if (wireType === wireTypes.bytes) this.bytes();
    else if (wireType === wireTypes.fixed64) this.#advance(8);
    else if (wireType === wireTypes.fixed32) this.#advance(4);
    else throw new WireError(`wire type ${wireType} is not supported`);
  }

  #byte(): number {
    return this.#bytes[this.#advance(1)] as number;
  }

  #advance(length: number): number {
    const at = this.#at;
    if (length > this.#end - at) throw new WireError("the message ends in the middle of a field");
    this.#at = at + length;
    return at;
  }
}

/** As in JSON text: a bigint only beyond 2^53. */
function exact(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

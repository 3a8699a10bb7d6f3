/** RFC 1951. The result is at most `limit` bytes: a few bytes can stand for gigabytes. */
export class Inflater {
  readonly #input: Uint8Array;
  readonly #limit: number;
  #output = new Uint8Array();
  #written = 0;
  /** The next byte of the input. */
  #next: number;
  /** Bits that were read from the input and not yet used, lowest first. */
  #bits = 0;
  #bitCount = 0;

  constructor(input: Uint8Array, start: number, limit: number) {
    this.#input = input;
    this.#next = start;
    this.#limit = limit;
  }

  /** All blocks, and where the input goes on after them. */
  run(): { readonly bytes: Uint8Array; readonly end: number } {
    for (;;) {
      const isLast = this.#take(1) === 1;
      const type = this.#take(2);
      if (type === 0) this.#stored();
      else if (type === 1) this.#compressed(fixed.lengths, fixed.distances);
      else if (type === 2) this.#compressed(...this.#tables());
      else throw new InflateError("has a block of an unknown type");
      if (!isLast) continue;
      // Whole bytes that were read ahead belong to what follows.
      const end = this.#next - (this.#bitCount >> 3);
      return { bytes: this.#output.slice(0, this.#written), end };
    }
  }

  #take(count: number): number {
    while (this.#bitCount < count) {
      if (this.#next >= this.#input.length) throw new InflateError("ends too early");
      this.#bits |= (this.#input[this.#next++] ?? 0) << this.#bitCount;
      this.#bitCount += 8;
    }
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#bitCount -= count;
    return value;
  }

  #room(count: number): void {
    const needed = this.#written + count;
    if (needed <= this.#output.length) return;
    if (needed > this.#limit) throw new InflateError(`has more than ${this.#limit} bytes when decompressed`);
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(needed, this.#output.length * 2, 256)));
    larger.set(this.#output.subarray(0, this.#written));
    this.#output = larger;
  }

  #stored(): void {
    this.#next -= this.#bitCount >> 3;
    this.#bits = 0;
    this.#bitCount = 0;
    const length = this.#take(16);
    if ((this.#take(16) ^ 0xffff) !== length) throw new InflateError("has a damaged block");
    const end = this.#next + length;
    if (end > this.#input.length) throw new InflateError("ends too early");
    this.#room(length);
    this.#output.set(this.#input.subarray(this.#next, end), this.#written);
    this.#written += length;
    this.#next = end;
  }

  #compressed(lengths: Codes, distances: Codes): void {
    for (;;) {
      const symbol = this.#symbol(lengths);
      if (symbol === 256) return;
      if (symbol < 256) {
        this.#room(1);
        this.#output[this.#written++] = symbol;
      } else this.#copy(symbol - 257, distances);
    }
  }

  #copy(lengthSymbol: number, distances: Codes): void {
    const length = this.#extended(lengthRanges, lengthSymbol);
    const distance = this.#extended(distanceRanges, this.#symbol(distances));
    if (distance > this.#written) throw new InflateError("refers to bytes before its start");
    this.#room(length);
    // Byte by byte: a distance smaller than the length repeats bytes that this loop has written.
    const output = this.#output;
    const end = this.#written + length;
    for (let to = this.#written; to < end; to++) output[to] = output[to - distance] as number;
    this.#written = end;
  }

  #extended({ bases, extraBits }: Ranges, symbol: number): number {
    const base = bases[symbol];
    if (base === undefined) throw new InflateError("has an unknown symbol");
    return base + this.#take(extraBits[symbol] ?? 0);
  }

  #symbol({ counts, symbols }: Codes): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= 15; length++) {
      code |= this.#take(1);
      const count = counts[length] ?? 0;
      if (code - count < first) return symbols[index + code - first] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new InflateError("has an unknown code");
  }

  #tables(): [Codes, Codes] {
    const lengthCount = this.#take(5) + 257;
    const distanceCount = this.#take(5) + 1;
    const orderCount = this.#take(4) + 4;
    const ofLengths = new Uint8Array(19);
    for (let i = 0; i < orderCount; i++) ofLengths[lengthOrder[i] ?? 0] = this.#take(3);
    const codeLengths = this.#codeLengths(codesOf(ofLengths), lengthCount + distanceCount);
    return [codesOf(codeLengths.subarray(0, lengthCount)), codesOf(codeLengths.subarray(lengthCount))];
  }

  #codeLengths(codes: Codes, count: number): Uint8Array {
    const found = new Uint8Array(count);
    for (let i = 0; i < count;) {
      const symbol = this.#symbol(codes);
      if (symbol < 16) found[i++] = symbol;
      else {
        if (symbol === 16 && i === 0) throw new InflateError("has a damaged table");
        const repeated = symbol === 16 ? (found[i - 1] ?? 0) : 0;
        const times = symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
        if (i + times > count) throw new InflateError("has a damaged table");
        found.fill(repeated, i, i + times);
        i += times;
      }
    }
    return found;
  }
}

/** The rest of the sentence that starts with the name of the compressed data. */
export class InflateError extends Error {
  override name = "InflateError";
}

/** A canonical Huffman code: how many codes there are of each length, and their symbols in order. */
interface Codes {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

function codesOf(lengths: Uint8Array): Codes {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  counts[0] = 0;
  let left = 1;
  const offsets = new Uint16Array(16);
  for (let length = 1; length <= 15; length++) {
    left = left * 2 - (counts[length] ?? 0);
    if (left < 0) throw new InflateError("has a damaged table");
    offsets[length] = (offsets[length - 1] ?? 0) + (counts[length - 1] ?? 0);
  }
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length === 0) return;
    const offset = offsets[length] ?? 0;
    symbols[offset] = symbol;
    offsets[length] = offset + 1;
  });
  return { counts, symbols };
}

interface Ranges {
  readonly bases: readonly number[];
  readonly extraBits: readonly number[];
}

function ranges(first: number, extraBits: readonly number[]): Ranges {
  let next = first;
  const bases = extraBits.map((bits) => (next += 2 ** bits) - 2 ** bits);
  return { bases, extraBits };
}

const steps = (count: number, each: number, zeros: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.max(0, Math.floor((i - zeros) / each) + 1));

/** RFC 1951 section 3.2.5: the last length, 258, has a symbol of its own without extra bits. */
const lengthRanges: Ranges = (() => {
  const { bases, extraBits } = ranges(3, steps(28, 4, 8));
  return { bases: [...bases, 258], extraBits: [...extraBits, 0] };
})();
const distanceRanges = ranges(1, steps(30, 2, 4));
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** RFC 1951 section 3.2.6. */
const fixed = {
  lengths: codesOf(Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  distances: codesOf(new Uint8Array(30).fill(5)),
};

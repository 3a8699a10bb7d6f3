const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const none = 0x8000;

/** Twelve bits by the codes of two characters, as one number of this machine's byte order. */
const pairs = new Uint16Array(0x1_0000).fill(none);
{
  const codes = new Uint8Array(2);
  const pair = new Uint16Array(codes.buffer);
  for (let a = 0; a < 64; a++)
    for (let b = 0; b < 64; b++) {
      codes.set([alphabet.charCodeAt(a), alphabet.charCodeAt(b)]);
      pairs[pair[0] as number] = (a << 6) | b;
    }
}

/** Of memory for decoded bytes: allocating some for each text takes as long as decoding it. */
const slabBytes = 0x1_0000;

/** Decodes standard base64. It keeps its buffers for the next text. */
export class Base64Decoder {
  readonly #encoder = new TextEncoder();
  #codes = new Uint8Array(4096);
  #slab = new Uint8Array(0);

  /** Undefined if the text is no base64. Line breaks are ignored, as by Go. Padding may be missing. */
  decode(text: string): Uint8Array | undefined {
    return this.#decode(text) ?? (/[\r\n]/.test(text) ? this.#decode(text.replace(/[\r\n]/g, "")) : undefined);
  }

  #decode(text: string): Uint8Array | undefined {
    const end = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
    const rest = end % 4;
    // Padding completes a group of four; one character alone holds no byte.
    if (rest === 1 || (end < text.length && text.length % 4 !== 0)) return undefined;
    if (this.#codes.length < text.length + 4) this.#codes = new Uint8Array((text.length + 4) * 2);
    // Bytes are read several times faster than characters. A character beyond ASCII becomes bytes that have no value.
    if (this.#encoder.encodeInto(text, this.#codes).written !== text.length) return undefined;
    // A last group that is not complete: zeros follow.
    if (rest > 0) this.#codes.set(zeros, end);
    const codes = new Uint16Array(this.#codes.buffer);
    const bytes = this.#allocated(Math.floor((end * 3) / 4));
    const groups = Math.ceil(end / 4);
    let seen = 0;
    let written = 0;
    for (let i = 0; i < groups * 2; i += 2) {
      // Within the text, and so defined: a check would double the time.
      const a = pairs[codes[i] as number] as number;
      const b = pairs[codes[i + 1] as number] as number;
      seen |= a | b;
      bytes[written] = a >> 4;
      bytes[written + 1] = (a << 4) | (b >> 8);
      bytes[written + 2] = b;
      written += 3;
    }
    return seen < none ? bytes : undefined;
  }

  /** Writes beyond the end of an array have no effect. */
  #allocated(length: number): Uint8Array {
    if (length > slabBytes / 4) return new Uint8Array(length);
    if (this.#slab.length < length) this.#slab = new Uint8Array(slabBytes);
    const bytes = this.#slab.subarray(0, length);
    this.#slab = this.#slab.subarray(length);
    return bytes;
  }
}

const zeros = new TextEncoder().encode("AAA");

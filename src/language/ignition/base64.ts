const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const none = 64;

/** By character code. */
const values = new Uint8Array(256).fill(none);
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;

/** Decodes standard base64. It keeps a buffer for the next text: allocating one for each takes as long as decoding. */
export class Base64Decoder {
  readonly #encoder = new TextEncoder();
  #codes = new Uint8Array(4096);

  /** Undefined if the text is no base64. Line breaks are ignored, as by Go. Padding may be missing. */
  decode(text: string): Uint8Array | undefined {
    return this.#decode(text) ?? (/[\r\n]/.test(text) ? this.#decode(text.replace(/[\r\n]/g, "")) : undefined);
  }

  #decode(text: string): Uint8Array | undefined {
    const end = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
    const rest = end % 4;
    // Padding completes a group of four; one character alone holds no byte.
    if (rest === 1 || (end < text.length && text.length % 4 !== 0)) return undefined;
    if (this.#codes.length < text.length) this.#codes = new Uint8Array(text.length * 2);
    // Bytes are read several times faster than characters. A character beyond ASCII becomes bytes that have no value.
    const codes = this.#codes;
    if (this.#encoder.encodeInto(text, codes).written !== text.length) return undefined;
    const bytes = new Uint8Array(Math.floor((end * 3) / 4));
    // Within the text, and so defined: a check would double the time.
    const valueAt = (position: number): number => values[codes[position] as number] as number;
    let seen = 0;
    let written = 0;
    let i = 0;
    for (; i + 4 <= end; i += 4) {
      const a = valueAt(i);
      const b = valueAt(i + 1);
      const c = valueAt(i + 2);
      const d = valueAt(i + 3);
      seen |= a | b | c | d;
      bytes[written] = (a << 2) | (b >> 4);
      bytes[written + 1] = (b << 4) | (c >> 2);
      bytes[written + 2] = (c << 6) | d;
      written += 3;
    }
    if (rest > 0) {
      const [a, b, c] = [valueAt(i), valueAt(i + 1), rest > 2 ? valueAt(i + 2) : 0];
      seen |= a | b | c;
      bytes[written] = (a << 2) | (b >> 4);
      if (rest > 2) bytes[written + 1] = (b << 4) | (c >> 2);
    }
    return seen < none ? bytes : undefined;
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const none = 64;

const values = new Uint8Array(128).fill(none);
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;

/** The bytes of standard base64; undefined if it is none. Line breaks are ignored, as by Go. Padding may be missing. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text;
  const end = plain.endsWith("==") ? plain.length - 2 : plain.endsWith("=") ? plain.length - 1 : plain.length;
  // Padding completes a group of four; one character alone holds no byte.
  if (end % 4 === 1 || (end < plain.length && plain.length % 4 !== 0)) return undefined;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  const valueAt = (position: number): number => (position < end ? (values[plain.charCodeAt(position)] ?? none) : 0);
  let written = 0;
  for (let i = 0; i < end; i += 4) {
    const [a, b, c, d] = [valueAt(i), valueAt(i + 1), valueAt(i + 2), valueAt(i + 3)];
    if ((a | b | c | d) >= none) return undefined;
    const group = (a << 18) | (b << 12) | (c << 6) | d;
    bytes[written++] = group >> 16;
    // Writes beyond the end of a typed array are ignored.
    bytes[written++] = (group >> 8) & 0xff;
    bytes[written++] = group & 0xff;
  }
  return bytes;
}

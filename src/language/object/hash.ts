import { canonical } from "./json.ts";

/**
 * A stable 64-bit hash of a value, as 16 hexadecimal digits. The order of keys does not matter. For names and for detecting
 * changes, never for secrets.
 */
export function hashOf(value: unknown): string {
  return hashText(canonical(value));
}

/** FNV-1a over UTF-16 code units, in two 32-bit lanes that start apart and are mixed at the end. */
export function hashText(text: string): string {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ ((code << 5) | (code >>> 11)), 0x5bd1e995) ^ (low >>> 15);
  }
  high = mix(high ^ (low >>> 7));
  low = mix(low ^ high);
  return hex(high) + hex(low);
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");

/** FNV-1a with 32 bits over the UTF-8 bytes, as 8 hexadecimal digits: the hash in names that other systems know. */
export function fnv32a(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hex(hash);
}

const safeAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The suffix of generated names, in the alphabet of Kubernetes' SafeEncodeString: no vowels, and no digits that look like letters. */
export function safeEncode(text: string): string {
  let encoded = "";
  for (let i = 0; i < text.length; i++) encoded += safeAlphabet.charAt(text.charCodeAt(i) % safeAlphabet.length);
  return encoded;
}

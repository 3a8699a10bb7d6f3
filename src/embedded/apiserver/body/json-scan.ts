import { maxDepth } from "../../../language/object/json-bounds.ts";

/** As kube-apiserver: how many faults of one body are reported. */
export const maxComplaints = 100;

export type Scan =
  | {
      type: "ok";
      /** Paths of duplicate keys, each once, as many as are reported. */
      duplicates: string[];
      /** A string may hold a lone surrogate, which UTF-8 cannot encode. */
      surrogates: boolean;
    }
  | { type: "refused"; why: string };

const quote = 0x22;
const backslash = 0x5c;

/** One level of nesting: an object at a key, or a list at an index. */
interface Level {
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

/**
 * Scans valid JSON text for what JSON.parse hides: duplicate keys (the last one wins), depth, numbers that overflow,
 * lone surrogates. Paths of duplicates have the form of strict decoding errors: `data.a`, `spec.items[0].name`.
 */
export function scanJson(text: string): Scan {
  const duplicates = new Set<string>();
  const stack: Level[] = [];
  let surrogates = false;
  let expectKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const top = stack.at(-1);
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        if (stack.length >= maxDepth) return { type: "refused", why: `it nests deeper than ${maxDepth} levels` };
        expectKey = code === 0x7b;
        stack.push({ keys: expectKey ? new Set() : undefined, key: "", index: 0 });
        break;
      case 0x7d: // }
      case 0x5d: // ]
        stack.pop();
        expectKey = false;
        break;
      case 0x2c: // ,
        if (top?.keys) expectKey = true;
        else if (top) top.index++;
        break;
      case quote: {
        const start = i;
        const escaped = (i = endOfString(text, i)) < 0;
        if (escaped) i = -i;
        if (escaped && !surrogates) surrogates = /\\u[dD][89a-fA-F]/.test(text.slice(start, i));
        if (expectKey && top?.keys) {
          top.key = escaped ? (JSON.parse(text.slice(start, i + 1)) as string) : text.slice(start + 1, i);
          if (!top.keys.has(top.key)) top.keys.add(top.key);
          else if (duplicates.size < maxComplaints) duplicates.add(pathOf(stack));
          expectKey = false;
        }
        break;
      }
      default:
        if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
          const start = i;
          i = endOfNumber(text, i);
          // Only an exponent or very many digits can leave the range of a double.
          const number = text.slice(start, i + 1);
          if ((number.length > 300 || /[eE]/.test(number)) && !Number.isFinite(Number(number)))
            return {
              type: "refused",
              why: `cannot unmarshal number ${number.slice(0, 40)} into Go value of type float64`,
            };
        }
    }
  }
  return { type: "ok", duplicates: [...duplicates], surrogates };
}

/** The index of the closing quote; negative if there is an escape before it. */
function endOfString(text: string, start: number): number {
  let escaped = false;
  let i = start + 1;
  for (; text.charCodeAt(i) !== quote; i++)
    if (text.charCodeAt(i) === backslash) {
      escaped = true;
      i++;
    }
  return escaped ? -i : i;
}

/** The index of a number's last character. */
function endOfNumber(text: string, start: number): number {
  let i = start;
  for (; i + 1 < text.length; i++) {
    const next = text.charCodeAt(i + 1);
    const isPart =
      (next >= 0x30 && next <= 0x39) || next === 0x2e || next === 0x2b || next === 0x2d || (next | 0x20) === 0x65;
    if (!isPart) break;
  }
  return i;
}

function pathOf(stack: readonly Level[]): string {
  let path = "";
  for (const { keys, key, index } of stack) path += keys ? `${path === "" ? "" : "."}${key}` : `[${index}]`;
  return path;
}

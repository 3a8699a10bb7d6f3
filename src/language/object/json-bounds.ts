/** The most levels of an object: far more than any real one has, far fewer than would overflow the stack. */
export const maxDepth = 256;

export interface JsonBounds {
  readonly depth: number;
  /** Of members and items. */
  readonly values?: number;
}

/**
 * Why a text must not be parsed: JSON.parse needs some 70 bytes of memory for each `[`, and finds only at the end of the text that
 * it is no JSON. Any text may be given.
 */
export function beyondBounds(text: string, { depth, values = Infinity }: JsonBounds): string | undefined {
  let level = 0;
  let count = 0;
  for (let i = 0; i < text.length; i++)
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i + 1);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++level > depth) return `it nests deeper than ${depth} levels`;
        if (++count > values) return `it has more than ${values} values`;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        level--;
        break;
      case 0x2c: // ,
        if (++count > values) return `it has more than ${values} values`;
    }
  return undefined;
}

/** The index behind a list or object that begins there, or the length of a text in which it does not end. Any text may be given. */
export function endOfContainer(text: string, start: number): number {
  let level = 0;
  for (let i = start; i < text.length; i++)
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i + 1);
        break;
      case 0x7b: // {
      case 0x5b: // [
        level++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (--level === 0) return i + 1;
    }
  return text.length;
}

/** The index of the closing quote, or the length of a text without one. To search is twice as fast as to read each character. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    // A backslash escapes the next character.
    let first = quote;
    while (first > start && text.charCodeAt(first - 1) === 0x5c) first--;
    if ((quote - first) % 2 === 0) return quote;
  }
  return text.length;
}

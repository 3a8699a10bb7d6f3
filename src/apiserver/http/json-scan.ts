/** How deep an object may nest. Far beyond any real one, far below what recursion over it could not stand. */
export const maxDepth = 256;

export type Scan = { type: "ok"; duplicates: string[] } | { type: "too-deep" };

const quote = 0x22;
const backslash = 0x5c;

/**
 * Walks JSON text that is known to be valid, for what JSON.parse hides: keys given twice (the last one wins) and depth.
 * Paths of duplicates read as strict decoding shows them: `data.a`, `spec.items[0].name`.
 */
export function scanJson(text: string): Scan {
  const duplicates: string[] = [];
  interface Level {
    keys: Set<string> | undefined;
    path: string;
    index: number;
    key: string;
  }
  const stack: Level[] = [];
  let expectKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const top = stack.at(-1);
    switch (code) {
      case 0x7b: // {
      case 0x5b: {
        // [
        if (stack.length >= maxDepth) return { type: "too-deep" };
        const object = code === 0x7b;
        stack.push({ keys: object ? new Set() : undefined, path: top ? pathInto(top) : "", index: 0, key: "" });
        expectKey = object;
        break;
      }
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
        const start = i++;
        let escaped = false;
        for (; text.charCodeAt(i) !== quote; i++)
          if (text.charCodeAt(i) === backslash) {
            escaped = true;
            i++;
          }
        if (expectKey && top?.keys) {
          const key = escaped ? (JSON.parse(text.slice(start, i + 1)) as string) : text.slice(start + 1, i);
          if (top.keys.has(key)) duplicates.push(top.path === "" ? key : `${top.path}.${key}`);
          else top.keys.add(key);
          top.key = key;
          expectKey = false;
        }
        break;
      }
      default:
    }
  }
  return { type: "ok", duplicates };
}

function pathInto(level: { keys: Set<string> | undefined; path: string; index: number; key: string }): string {
  if (!level.keys) return `${level.path}[${level.index}]`;
  return level.path === "" ? level.key : `${level.path}.${level.key}`;
}

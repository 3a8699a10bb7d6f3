/** The body does not fit the kind's Go struct. The message is that of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Deeper than any object in practice, and far from the end of the stack. */
export const maxDepth = 1000;

/** A field (with its embedded struct), an index, or a key of a map. Go's errors contain only fields. */
export type Segment = string | number | { readonly field: string; readonly shown: string } | { readonly key: string };

export class Decoding {
  readonly unknown: string[] = [];
  readonly path: Segment[] = [];
  /** The innermost struct, by its Go name. */
  struct = "";
  /** What was decoded before, at the place of the value that is decoded now. */
  before: unknown;

  constructor(before?: object) {
    this.before = before;
  }

  enter(segment: Segment): void {
    if (this.path.push(segment) > maxDepth) throw new DecodeError("exceeded max depth");
  }

  leave(): void {
    this.path.pop();
  }

  reportUnknown(key: string): void {
    let text = "";
    for (const segment of this.path) {
      if (typeof segment === "number") text += `[${segment}]`;
      else text += `${text ? "." : ""}${nameOf(segment)}`;
    }
    this.unknown.push(text ? `${text}.${key}` : key);
  }

  mismatch(value: unknown, type: string, literal = false): DecodeError {
    const field = this.path.flatMap(shownByGo).join(".");
    const shown = literal ? `number ${String(value)}` : jsonType(value);
    return new DecodeError(
      `json: cannot unmarshal ${shown} into Go struct field ${this.struct}.${field} of type ${type}`,
    );
  }
}

function nameOf(segment: Exclude<Segment, number>): string {
  if (typeof segment === "string") return segment;
  return "key" in segment ? segment.key : segment.field;
}

function shownByGo(segment: Segment): string[] {
  if (typeof segment === "string") return [segment];
  return typeof segment === "object" && "shown" in segment ? [segment.shown] : [];
}

/** Not called with null or undefined. */
export type Decode = (value: unknown, decoding: Decoding) => unknown;

export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null || value === undefined) return "null";
  return typeof value === "boolean" ? "bool" : typeof value;
}

import { runeLength } from "../../../object/byte-length.ts";
import { compilePattern, PatternError } from "../../pattern.ts";
import { fail, show } from "./conversions.ts";
import { charge, type Frame, sizeCost } from "../frame.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { bool, bytes, dyn, int, list, map, string } from "../type.ts";
import { isList, isMap, kindOf, type Value } from "../value.ts";

/** Functions of strings. Positions count code points, as CEL specifies. */
export function texts(): Library {
  const library = new LibraryBuilder();
  for (const kind of ["function", "member"] as const) {
    library[kind]("size", [string], int, ([text], frame) => BigInt(runeLength(paid(text!, frame))));
    library[kind]("size", [bytes], int, ([value]) => BigInt((value as Uint8Array).length));
    library[kind]("size", [list(dyn)], int, ([value]) => BigInt((value as readonly Value[]).length));
    library[kind]("size", [map(dyn, dyn)], int, ([value]) => BigInt((value as ReadonlyMap<Value, Value>).size));
    library[kind]("matches", [string, string], bool, ([text, source], frame) =>
      pattern(source!, text!, frame).test(paid(text!, frame)),
    );
  }
  const test = (name: string, holds: (text: string, part: string) => boolean) =>
    library.member(name, [string, string], bool, ([text, part], frame) => holds(paid(text!, frame), part as string));
  test("contains", (text, part) => text.includes(part));
  test("startsWith", (text, part) => text.startsWith(part));
  test("endsWith", (text, part) => text.endsWith(part));

  const change = (name: string, changed: (text: string) => string) =>
    library.member(name, [string], string, ([text], frame) => changed(paid(text!, frame)));
  change("lowerAscii", (text) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()));
  change("upperAscii", (text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()));
  change("trim", (text) => text.trim());

  library
    .member(
      "find",
      [string, string],
      string,
      ([text, source], frame) => pattern(source!, text!, frame).find(paid(text!, frame)) ?? "",
    )
    .member("findAll", [string, string], list(string), ([text, source], frame) =>
      pattern(source!, text!, frame).findAll(paid(text!, frame)),
    )
    .member("findAll", [string, string, int], list(string), ([text, source, limit], frame) =>
      pattern(source!, text!, frame).findAll(paid(text!, frame), (limit as bigint) < 0n ? undefined : Number(limit)),
    )
    .member("charAt", [string, int], string, ([text, at], frame) => {
      const runes = Array.from(paid(text!, frame));
      return runes[position(at!, runes.length)] ?? "";
    })
    .member("substring", [string, int], string, ([text, start], frame) => {
      const runes = Array.from(paid(text!, frame));
      return runes.slice(position(start!, runes.length)).join("");
    })
    .member("substring", [string, int, int], string, ([text, start, end], frame) => {
      const runes = Array.from(paid(text!, frame));
      const [from, to] = [position(start!, runes.length), position(end!, runes.length)];
      if (from > to) fail(`invalid substring range. start: ${from}, end: ${to}`);
      return runes.slice(from, to).join("");
    })
    .member("replace", [string, string, string], string, ([text, from, to], frame) =>
      replaced(paid(text!, frame), { from: from as string, to: to as string, times: Number.POSITIVE_INFINITY }, frame),
    )
    .member("replace", [string, string, string, int], string, ([text, from, to, times], frame) =>
      replaced(
        paid(text!, frame),
        { from: from as string, to: to as string, times: (times as bigint) < 0n ? Infinity : Number(times) },
        frame,
      ),
    )
    .member("split", [string, string], list(string), ([text, separator], frame) =>
      split(paid(text!, frame), separator as string),
    )
    .member("split", [string, string, int], list(string), ([text, separator, limit], frame) => {
      const parts = split(paid(text!, frame), separator as string);
      const most = Number(limit);
      if (most === 0) return [];
      if (most < 0 || parts.length <= most) return parts;
      return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator as string)];
    })
    .member("join", [list(string)], string, ([parts], frame) => joined(parts!, "", frame))
    .member("join", [list(string), string], string, ([parts, separator], frame) =>
      joined(parts!, separator as string, frame),
    )
    .member("format", [string, list(dyn)], string, ([text, args], frame) =>
      formatted(paid(text!, frame), args as readonly Value[], frame),
    );
  for (const name of ["indexOf", "lastIndexOf"] as const)
    library
      .member(name, [string, string], int, ([text, part], frame) => found(paid(text!, frame), part as string, name))
      .member(name, [string, string, int], int, ([text, part, from], frame) =>
        found(paid(text!, frame), part as string, name, Number(from)),
      );
  return library.build();
}

function paid(text: Value, frame: Frame): string {
  charge(frame, sizeCost(text));
  return text as string;
}

function pattern(source: Value, text: Value, frame: Frame) {
  // Compiling grows with the pattern, matching with the pattern and the text.
  charge(frame, sizeCost(source) * (10 + sizeCost(text)));
  try {
    return compilePattern(source as string);
  } catch (error) {
    if (error instanceof PatternError) return fail(error.message);
    throw error;
  }
}

function position(at: Value, length: number): number {
  if ((at as bigint) < 0n || (at as bigint) > BigInt(length)) fail(`index out of range: ${at as bigint}`);
  return Number(at);
}

function found(text: string, part: string, direction: "indexOf" | "lastIndexOf", from?: number): bigint {
  const runes = Array.from(text);
  if (from !== undefined && from < 0) fail(`index out of range: ${from}`);
  if (from !== undefined && from >= runes.length && direction === "indexOf") return -1n;
  const start = from === undefined ? undefined : runes.slice(0, from).join("").length;
  const at =
    direction === "indexOf"
      ? text.indexOf(part, start ?? 0)
      : text.lastIndexOf(part, start ?? Number.POSITIVE_INFINITY);
  return BigInt(at < 0 ? -1 : runeLength(text.slice(0, at)));
}

function split(text: string, separator: string): string[] {
  return separator === "" ? Array.from(text) : text.split(separator);
}

function joined(parts: Value, separator: string, frame: Frame): string {
  const texts = parts as readonly Value[];
  for (const text of texts) {
    if (typeof text !== "string") fail("no such overload");
    charge(frame, sizeCost(text) + sizeCost(separator));
  }
  return (texts as readonly string[]).join(separator);
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly times: number;
}

function replaced(text: string, { from, to, times }: Replacement, frame: Frame): string {
  const parts = split(text, from);
  charge(frame, Math.min(parts.length, times) * sizeCost(to));
  if (parts.length - 1 <= times) return parts.join(to);
  return parts.slice(0, times + 1).join(to) + from + parts.slice(times + 1).join(from);
}

const directive = /%(?:%|\.(\d{1,3}))?([a-zA-Z])?/g;

/** `%s %d %f %e %x %X %o %b`, and `%%`. */
function formatted(text: string, args: readonly Value[], frame: Frame): string {
  let next = 0;
  return text.replaceAll(directive, (whole, precision: string | undefined, letter: string | undefined) => {
    if (whole.startsWith("%%")) return `%${letter ?? ""}`;
    if (next >= args.length) fail(`index ${next} out of range`);
    const value = args[next++]!;
    charge(frame, sizeCost(value));
    switch (letter) {
      case "s":
        return showAny(value, frame, 0);
      case "d":
        if (!["int", "uint"].includes(kindOf(value)))
          fail(`error during formatting: decimal clause can only be used on integers, was given ${kindOf(value)}`);
        return show(value);
      case "f":
        return Number(value).toFixed(Number(precision ?? 6));
      case "e":
        return Number(value)
          .toExponential(Number(precision ?? 6))
          .replace(/e([+-])(\d)$/, "e$10$2");
      case "x":
      case "X":
      case "o":
      case "b": {
        if (typeof value !== "bigint") return fail(`unsupported argument of %${letter}`);
        const digits = value.toString(letter === "o" ? 8 : letter === "b" ? 2 : 16);
        return letter === "X" ? digits.toUpperCase() : digits;
      }
      default:
        return fail(`could not parse formatting clause: unrecognized formatting clause "${letter ?? ""}"`);
    }
  });
}

function showAny(value: Value, frame: Frame, depth: number): string {
  charge(frame, sizeCost(value));
  if (depth > 50) return fail("value is nested too deeply");
  if (value === null) return "null";
  if (isList(value)) return `[${value.map((item) => showAny(item, frame, depth + 1)).join(", ")}]`;
  if (isMap(value))
    return `{${[...value].map(([key, item]) => `${showAny(key, frame, depth + 1)}: ${showAny(item, frame, depth + 1)}`).join(", ")}}`;
  return kindOf(value) === "object" ? fail("unsupported argument of %s") : show(value);
}

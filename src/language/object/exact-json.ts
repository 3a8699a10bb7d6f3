import { set, type Json, type JsonObject } from "./json.ts";

/*
 * JSON with the integers of Go's int64. A double holds those up to 2^53 exactly: these are numbers, as JSON.parse makes them.
 * Those beyond are bigints, in every part of the server. What int64 cannot hold is a number again, as Go makes it a float64.
 */

/** As JSON.parse, but exact. */
export function readJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  return mayHoldLongInteger(text) ? new ExactReader(text).value() : value;
}

/** As JSON.stringify, which has no text for a bigint. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError && error.message.includes("BigInt"))) throw error;
    return exactText(value) ?? "null";
  }
}

/** The value of an integer's decimal digits. */
export function exactInteger(digits: string): number | bigint {
  const number = Number(digits);
  // The time that BigInt takes for digits grows faster than their number: a body of 3 MB may be one integer.
  if (Number.isSafeInteger(number) || Math.abs(number) > 2 ** 63) return number;
  const exact = BigInt(digits);
  return BigInt.asIntN(64, exact) === exact ? exact : number;
}

/** An integer as Go's int64 has it, or undefined: doubles beyond 2^53 are floats, which only look like integers. */
export function asInteger(value: unknown): number | bigint | undefined {
  return typeof value === "bigint" || Number.isSafeInteger(value) ? (value as number | bigint) : undefined;
}

const longDigits = 16;

/** Unsafe integers have at least 16 digits, one of which is at a multiple of 16: only these places are looked at. */
export function mayHoldLongInteger(text: string): boolean {
  for (let i = longDigits - 1; i < text.length; i += longDigits) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let start = i;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    while (isDigit(text.charCodeAt(i + 1))) i++;
    if (i - start + 1 >= longDigits && !quotes.has(text.charAt(start - 1))) return true;
  }
  return false;
}

/** A text of digits only, which is frequent, or the fraction of a number. */
const quotes = new Set(['"', "."]);

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function exactText(value: unknown): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => exactText(item) ?? "null").join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields: string[] = [];
  for (const [key, child] of Object.entries(value)) {
    const text = exactText(child);
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${fields.join(",")}}`;
}

const number = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const blank = /[ \t\n\r]*/y;

/** Reads text that is known to be valid JSON. */
class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    switch (this.#next()) {
      case "{":
        return this.#object();
      case "[":
        return this.#list();
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    this.#at++;
    while (this.#next() !== "}") {
      if (this.#next() === ",") this.#at++;
      this.#next();
      const key = this.#string();
      this.#next();
      this.#at++;
      set(object, key, this.value());
    }
    this.#at++;
    return object;
  }

  #list(): Json[] {
    const list: Json[] = [];
    this.#at++;
    while (this.#next() !== "]") {
      if (this.#next() === ",") this.#at++;
      list.push(this.value());
    }
    this.#at++;
    return list;
  }

  #string(): string {
    const start = this.#at;
    do this.#at = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped(this.#at));
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  /** After an odd number of backslashes. */
  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#text[first - 1] === "\\") first--;
    return (at - first) % 2 === 1;
  }

  #number(): number | bigint {
    number.lastIndex = this.#at;
    const [digits = ""] = number.exec(this.#text) ?? [];
    this.#at += digits.length;
    return /[.eE]/.test(digits) ? Number(digits) : exactInteger(digits);
  }

  #word<T>(word: string, value: T): T {
    this.#at += word.length;
    return value;
  }

  /** The next character that is not blank. */
  #next(): string {
    blank.lastIndex = this.#at;
    blank.exec(this.#text);
    this.#at = blank.lastIndex;
    return this.#text.charAt(this.#at);
  }
}

/** `Time` has whole seconds, `MicroTime` microseconds. */
export type TimeLayout = "seconds" | "micro";

const layouts = {
  seconds: "2006-01-02T15:04:05Z07:00",
  micro: "2006-01-02T15:04:05.000000Z07:00",
} as const satisfies Record<TimeLayout, string>;

export type ParsedTime =
  | { readonly type: "time"; readonly text: string }
  | { readonly type: "bad"; readonly message: string };

/** A time in its canonical form, which needs no conversion. Days above 28 take the slow path, which checks the month. */
const canonicalForm = {
  seconds: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  micro: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
} as const;

/** Converts RFC 3339 to UTC in the given layout, or returns the error message of Go's time.Parse. */
export function parseTime(text: string, layout: TimeLayout): ParsedTime {
  if (canonicalForm[layout].test(text)) return { type: "time", text };
  const steps = new Reader(text, layout);
  const year = steps.digits(4, "2006");
  steps.literal("-");
  const month = steps.digits(2, "01");
  steps.literal("-");
  const day = steps.digits(2, "02");
  steps.literal("T");
  const hour = steps.digits(2, "15");
  steps.literal(":");
  const minute = steps.digits(2, "04");
  steps.literal(":");
  const second = steps.digits(2, "05");
  const fraction = steps.fraction();
  const offset = steps.zone();
  steps.end();
  if (steps.message) return { type: "bad", message: steps.message };
  const range = (what: string): ParsedTime => ({
    type: "bad",
    message: `parsing time ${JSON.stringify(text)}: ${what} out of range`,
  });
  if (month < 1 || month > 12) return range("month");
  if (hour > 23) return range("hour");
  if (minute > 59) return range("minute");
  if (second > 59) return range("second");
  if (day < 1 || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) return range("day");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second);
  const utc = date.toISOString().slice(0, -5);
  return { type: "time", text: layout === "micro" ? `${utc}.${fraction.padEnd(6, "0").slice(0, 6)}Z` : `${utc}Z` };
}

/** Reads the text along the layout; the first mismatch sets the message and later ones are ignored. */
class Reader {
  message = "";
  readonly #text: string;
  readonly #layout: TimeLayout;
  #at = 0;

  constructor(text: string, layout: TimeLayout) {
    this.#text = text;
    this.#layout = layout;
  }

  digits(count: number, element: string): number {
    const part = this.#text.slice(this.#at, this.#at + count);
    if (part.length < count || !/^\d+$/.test(part)) return this.#fail(element);
    this.#at += count;
    return Number(part);
  }

  literal(character: string): void {
    if (this.#text[this.#at] === character) this.#at++;
    else this.#fail(character);
  }

  /** Go accepts a fraction after the seconds even if the layout has none; the micro layout requires six digits. */
  fraction(): string {
    const found = /^\.\d+/.exec(this.#text.slice(this.#at));
    if (this.#layout === "micro") {
      const part = this.#text.slice(this.#at, this.#at + 7);
      if (!/^\.\d{6}$/.test(part)) this.#fail(".000000");
      this.#at += 7;
      return part.slice(1);
    }
    this.#at += found?.[0].length ?? 0;
    return found?.[0].slice(1) ?? "";
  }

  /** Minutes east of UTC. */
  zone(): number {
    if (this.#text[this.#at] === "Z") {
      this.#at++;
      return 0;
    }
    const found = /^([+-])(\d\d):(\d\d)/.exec(this.#text.slice(this.#at));
    if (!found || Number(found[2]) > 24 || Number(found[3]) > 60) return this.#fail("Z07:00");
    this.#at += 6;
    return (found[1] === "-" ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]));
  }

  end(): void {
    if (!this.message && this.#at < this.#text.length)
      this.message = `parsing time ${JSON.stringify(this.#text)}: extra text: ${JSON.stringify(this.#text.slice(this.#at))}`;
  }

  #fail(element: string): number {
    this.message ||= `parsing time ${JSON.stringify(this.#text)} as ${JSON.stringify(layouts[this.#layout])}: cannot parse ${JSON.stringify(this.#text.slice(this.#at))} as ${JSON.stringify(element)}`;
    return 0;
  }
}

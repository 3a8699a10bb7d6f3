import { fstatSync, statSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { wrapText } from "./wrap.ts";

/** Where a command writes: results to `out`, warnings and errors to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** For text written to `out`. They change nothing where `out` is not a terminal. */
  readonly colours: Colours;
  /** Absent where `out` is not a terminal. */
  readonly columns?: number | undefined;
}

type Paint = (text: string) => string;

export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly cyan: Paint;
  readonly green: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
}

/** What a command that reads a cluster is run with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Prints to standard output. A reader that closed the pipe, as `head` does, is no error. */
export function writeOut(text: string | Uint8Array): void {
  writeFully(1, text);
}

/** Prints to standard error, in the same way. */
export function writeErr(text: string): void {
  writeFully(2, text);
}

export function processTerminal(): Terminal {
  return {
    out: writeOut,
    err: (text) => writeErr(wrapped(text)),
    colours: coloursOf(wantsColours(process.env, isTerminal())),
    columns: screenSize()?.columns,
  };
}

/** Whether standard output is a terminal. Node loads its stream modules for `process.stdout`, so files, pipes and /dev/null are ruled out without it. */
export function isTerminal(): boolean {
  const out = fstatSync(1);
  if (!out.isCharacterDevice() || out.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev) return false;
  // Node types isTTY as a boolean, but leaves it undefined on streams that are not terminals.
  return (process.stdout.isTTY as boolean | undefined) === true;
}

/** Undefined where standard output is not a terminal. */
export function screenSize(): { readonly columns: number; readonly rows: number } | undefined {
  if (!isTerminal() || process.env.TERM === "dumb") return undefined;
  const { columns, rows } = process.stdout;
  // Some terminals have no size, such as that of a container without a window.
  return columns > 0 && rows > 0 ? { columns, rows } : undefined;
}

/** `NO_COLOR` wins over `FORCE_COLOR`, with which pipelines ask for colours in their logs. */
export function wantsColours(env: Readonly<Record<string, string | undefined>>, terminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return terminal && env.TERM !== "dumb";
}

/** Written here since colour libraries open standard output as soon as they are loaded, and load Node's streams with it. */
export function coloursOf(wanted: boolean): Colours {
  const paint = (on: number, off: number): Paint => {
    const [begin, end] = [`\x1b[${on}m`, `\x1b[${off}m`];
    // A colour inside the text ends with a code that also ends this one, so this one begins again after it.
    return wanted ? (text) => `${begin}${text.replaceAll(end, `${end}${begin}`)}${end}` : (text) => text;
  };
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    cyan: paint(36, 39),
    green: paint(32, 39),
    red: paint(31, 39),
    yellow: paint(33, 39),
  };
}

/** Writes to a file descriptor without a stream: loading Node's streams takes longer than many a command takes. */
export function writeFully(descriptor: number, text: string | Uint8Array): void {
  let rest = typeof text === "string" ? Buffer.from(text) : text;
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The reader has closed the pipe: `attune tuned list | head`.
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      // Another process that shares the pipe made it non-blocking.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
}

/** A text as one word of a command that users copy into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const escapes = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** One line without control characters: profiles come from other people, and must not drive the reader's terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => escapes.get(character) ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same for a text of several lines, which may be indented by tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, printable);
}

/** An error for standard error: control characters do not reach the terminal, and words stay whole there. */
export function errorLines(text: string): string {
  return wrapped(printableLines(text));
}

/** Lines that begin with a blank are commands to copy, and stay whole. */
function wrapped(text: string): string {
  const columns = isatty(2) ? process.stderr.columns : 0;
  if (!(columns > 0)) return text;
  const lines = text.split("\n").flatMap((line) => (line.startsWith(" ") ? line : wrapText(line, columns)));
  return lines.join("\n");
}

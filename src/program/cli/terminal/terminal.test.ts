import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coloursOf, printable, shellWord, wantsColours, writeFully } from "./terminal.ts";

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "" }, false, false],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
])("with %j, and a terminal: %j, there are colours: %j", (env, terminal, expected) => {
  expect(wantsColours(env, terminal)).toBe(expected);
});

test("a colour ends with its text, and continues after another colour inside it", () => {
  const { bold, dim, red } = coloursOf(true);
  expect(red("a")).toBe("\x1b[31ma\x1b[39m");
  expect(bold(`a${dim("b")}c`)).toBe("\x1b[1ma\x1b[2mb\x1b[22m\x1b[1mc\x1b[22m");
});

test("without colours a text is unchanged", () => {
  for (const paint of Object.values(coloursOf(false))) expect(paint("a")).toBe("a");
});

/** More than a pipe holds. */
const long = "é0123456789\n".repeat(50_000);

test("everything is written to a non-blocking pipe", async () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-pipe-"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const reader = spawn("wc", ["-c", pipe], { stdio: ["ignore", "pipe", "ignore"] });
  let counted = "";
  reader.stdout.setEncoding("utf8").on("data", (text: string) => (counted += text));
  const ended = new Promise((resolve) => reader.once("close", resolve));
  writeFully(descriptor, long);
  closeSync(descriptor);
  await ended;
  expect(Number.parseInt(counted, 10)).toBe(Buffer.byteLength(long));
  rmSync(folder, { recursive: true });
});

test.runIf(process.platform === "linux")("a failed write is an error", () => {
  const full = openSync("/dev/full", "w");
  expect(() => writeFully(full, "x")).toThrow("ENOSPC");
  closeSync(full);
});

test.each([
  ["isolated_cores=2-3 → näh", "isolated_cores=2-3 → näh"],
  ["a\nb\tc\r", "a\\nb\\tc\\r"],
  ["\u001B[31mred\u0007", "\\u{1b}[31mred\\u{7}"],
  ["to the \u202Etfel", "to the \\u{202e}tfel"],
])("%j is printed as %j", (text, printed) => {
  expect(printable(text)).toBe(printed);
});

test.each(["/tmp/a/kubeconfig", "/tmp/with a blank", "it's", "$(id)", "a;b\n", ""])(
  "a shell reads %j as one word, unchanged",
  (text) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(text);
  },
);

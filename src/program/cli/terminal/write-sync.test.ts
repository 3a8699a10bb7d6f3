import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeAtOnce } from "./write-sync.ts";

/** More than a pipe holds. */
const long = "é0123456789\n".repeat(50_000);

test("everything is written to a pipe that does not wait for its reader", async () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-pipe-"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const reader = spawn("wc", ["-c", pipe], { stdio: ["ignore", "pipe", "ignore"] });
  let counted = "";
  reader.stdout.setEncoding("utf8").on("data", (text: string) => (counted += text));
  const ended = new Promise((resolve) => reader.once("close", resolve));
  writeAtOnce(descriptor, long);
  closeSync(descriptor);
  await ended;
  expect(Number.parseInt(counted, 10)).toBe(Buffer.byteLength(long));
  rmSync(folder, { recursive: true });
});

test.runIf(process.platform === "linux")("what cannot be written is an error", () => {
  const full = openSync("/dev/full", "w");
  expect(() => writeAtOnce(full, "x")).toThrow("ENOSPC");
  closeSync(full);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { json } from "node:stream/consumers";

/** Reads a file until its input ends, and prints how often it saw each value. */
const poll = `
const { readFileSync } = require("node:fs");
const seen = {};
const timer = setInterval(() => {
  const value = readFileSync(process.argv[1], "utf8").trim();
  seen[value] = (seen[value] ?? 0) + 1;
}, 2);
process.stdin.resume().once("end", () => {
  clearInterval(timer);
  console.log(JSON.stringify(seen));
});
`;

/**
 * Reads a file again and again while something happens, and returns how often each value was seen. In a process of its own:
 * stories block theirs while kubectl runs.
 */
export async function valuesDuring(path: string, happens: () => Promise<void>): Promise<Record<string, number>> {
  const child = spawn(process.execPath, ["--eval", poll, path], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    await once(child, "spawn");
    await happens();
    child.stdin.end();
    return (await json(child.stdout)) as Record<string, number>;
  } finally {
    child.kill();
  }
}

import { spawn } from "node:child_process";
import { WrongError } from "./load.ts";

/** How long Node.js takes with these arguments, from nothing to its end. */
export function runTime(args: readonly string[], expected = 0): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === expected) resolve(performance.now() - started);
      else reject(new WrongError(`node ${args.join(" ")} ended with ${code}, not ${expected}`));
    });
  });
}

/** Node.js that does nothing: what everything else is held against. */
export function bareNode(): Promise<number> {
  return runTime(["-e", "0"]);
}

import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { node, type Program } from "../../src/program/cli/testing/program.ts";

export interface ChildServer {
  readonly url: string;
  readonly pid: number;
  /** kill -9; resolves when the process has ended. */
  kill(): Promise<void>;
}

export type Outcome =
  | { readonly type: "ready"; readonly server: ChildServer }
  | { readonly type: "ended"; readonly code: number | null; readonly stderr: string };

/** Starts `attune apiserver`, as an argument of `wrapper` if there is one; resolves when it is ready or has ended. */
export function startChild(
  program: Program,
  flags: readonly string[],
  wrapper: readonly string[] = [],
): Promise<Outcome> {
  const [command, ...args] = [...wrapper, node, program.main, "apiserver", ...flags] as [string, ...string[]];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      process.off("exit", killAtExit);
      resolve(code);
    });
  });
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("ready "))
        resolve({
          type: "ready",
          server: { url: line.slice(6), pid: child.pid as number, kill: () => kill(child, ended) },
        });
    });
    void ended.then((code) => resolve({ type: "ended", code, stderr }));
  });
}

async function kill(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

import { spawn } from "node:child_process";
import { node, type Program } from "../../src/program/cli/testing/program.ts";

export interface OperatorProcess {
  readonly pid: number;
  /** Its output so far. */
  output(): string;
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM"): void;
  readonly ended: Promise<number | null>;
}

/** `attune operator` as in a cluster. It ends with this process. */
export function startOperatorProcess(attune: Program, kubeconfig: string): OperatorProcess {
  const flags = ["--kubeconfig", kubeconfig, "--image", "attune:test"];
  const child = spawn(node, [attune.main, "operator", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return {
    pid: child.pid as number,
    output: () => output,
    signal: (name) => void child.kill(name),
    ended: new Promise((resolve) => {
      child.once("close", (code) => {
        process.off("exit", killAtExit);
        resolve(code);
      });
    }),
  };
}

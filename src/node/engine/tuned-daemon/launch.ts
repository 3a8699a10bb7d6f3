import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that was started, as far as its supervisor cares. */
export interface DaemonProcess {
  readonly pid: number | undefined;
  /** Settles when the program has ended and every line of it was read; never rejects. */
  readonly exited: Promise<Exit>;
  kill(signal: "SIGHUP" | "SIGTERM" | "SIGKILL"): void;
}

export type Exit =
  | { readonly type: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "failed"; readonly message: string };

/** Starts a program and hands on the lines it writes to stderr. */
export type Launch = (argv: readonly string[], onLine: (line: string) => void) => DaemonProcess;

/** Programs of the node whose root is mounted at `root`. */
export function launchAt(root = "/"): Launch {
  return (argv, onLine) => {
    const [program = "", ...args] = root === "/" ? argv : ["chroot", root, ...argv];
    const child = spawn(program, args, {
      stdio: ["ignore", "ignore", "pipe"],
      cwd: "/",
      // A group of its own: what a terminal sends to ours does not reach it, and its scripts can be killed with it.
      detached: true,
      // TuneD hands its environment on to scripts: nothing of ours should get there.
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" },
    });
    createInterface({ input: child.stderr, crlfDelay: Infinity }).on("line", onLine);
    const exited = new Promise<Exit>((resolve) => {
      child.on("error", ({ message }) => resolve({ type: "failed", message }));
      child.on("close", (code, signal) => resolve({ type: "exited", code, signal }));
      // A script it left behind may hold the pipe open for ever; the daemon itself is gone all the same.
      child.on("exit", (code, signal) => {
        const timer = setTimeout(() => {
          child.stderr.destroy();
          resolve({ type: "exited", code, signal });
        }, 1000);
        timer.unref();
      });
    });
    return { pid: child.pid, exited, kill: (signal) => (signal === "SIGKILL" ? killGroup(child) : child.kill(signal)) };
  };
}

/** With the scripts that it runs: one that hangs is often why it must be killed. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

export function exitText(exit: Exit): string {
  if (exit.type === "failed") return exit.message;
  return exit.signal === null ? `ended with status ${exit.code}` : `ended by ${exit.signal}`;
}

/** The part of a clock that a supervisor needs. */
export interface Timer {
  /** Calls back once after `ms`; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}

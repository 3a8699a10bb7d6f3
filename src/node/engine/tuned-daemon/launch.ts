import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { programEnvironment } from "../../host/program-environment.ts";

/** A started program, as its supervisor sees it. */
export interface DaemonProcess {
  readonly pid: number | undefined;
  /** Resolves when the program has ended and all its output was read; never rejects. */
  readonly exited: Promise<Exit>;
  kill(signal: "SIGHUP" | "SIGTERM" | "SIGKILL"): void;
}

export type Exit =
  | { readonly type: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "failed"; readonly message: string };

/** Starts a program and passes on the lines that it writes to stderr. */
export type Launch = (argv: readonly string[], onLine: (line: string) => void) => DaemonProcess;

/** Starts programs of the node whose root is mounted at `root`. */
export function launchAt(root = "/"): Launch {
  return (argv, onLine) => {
    const [program = "", ...args] = root === "/" ? argv : ["chroot", root, ...argv];
    const child = spawn(program, args, {
      stdio: ["ignore", "ignore", "pipe"],
      cwd: "/",
      // A process group of its own: a terminal's signals do not reach it, and its scripts can be killed with it.
      detached: true,
      // TuneD passes its environment on to scripts, so it gets none of Attune's.
      env: { ...programEnvironment, LC_ALL: "C.UTF-8" },
    });
    createInterface({ input: child.stderr, crlfDelay: Infinity }).on("line", onLine);
    const exited = new Promise<Exit>((resolve) => {
      child.on("error", ({ message }) => resolve({ type: "failed", message }));
      child.on("close", (code, signal) => resolve({ type: "exited", code, signal }));
      // A script that outlives the daemon may keep the pipe open.
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

/** Kills its scripts too: a script that hangs is often the reason. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has ended already.
  }
}

export function exitText(exit: Exit): string {
  if (exit.type === "failed") return exit.message;
  return exit.signal === null ? `ended with status ${exit.code}` : `ended by ${exit.signal}`;
}

/** The part of a clock that the supervisor needs. */
export interface Timer {
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

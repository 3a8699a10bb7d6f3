import { spawn } from "node:child_process";
import { watch } from "node:fs";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { MonitorEvents } from "./host.ts";
import { programEnvironment } from "./program-environment.ts";

/** inotify reports writes below /proc and /sys as it does for ordinary files. Throws where the folder cannot be watched. */
export function watchFolder(folder: string, changed: (name: string) => void): () => void {
  const watcher = watch(folder, { persistent: false }, (_, name) => {
    if (name !== null) changed(name);
  });
  // The folder went away with its device.
  watcher.on("error", () => watcher.close());
  return () => watcher.close();
}

/** Lines of a program that runs until it is ended. It does not keep this process running. */
export function runMonitor(argv: readonly string[], on: MonitorEvents): () => void {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: programEnvironment,
  });
  let open = true;
  const end = (why: string): void => {
    if (open) on.ended(why);
    open = false;
  };
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (text) => open && on.line(text));
  child.once("error", ({ message }) => end(message));
  child.once("close", (code, signal) => end(signal ? `ended by ${signal}` : `exit code ${code}`));
  child.unref();
  (child.stdout as Socket).unref();
  return () => {
    open = false;
    lines.close();
    child.kill();
  };
}

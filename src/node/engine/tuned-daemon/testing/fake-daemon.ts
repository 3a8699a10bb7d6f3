import type { DaemonProcess, Exit, Launch } from "../launch.ts";

/** Stands in for TuneD in tests: logs what a test makes it log, and records the signals it gets. */
export class FakeDaemon {
  readonly received: string[] = [];
  #says: (line: string) => void = () => undefined;
  #exit: (exit: Exit) => void = () => undefined;
  starts = 0;
  alive = false;
  /** Called with each start and each signal. */
  answer: (to: "start" | "SIGHUP" | "SIGTERM" | "SIGKILL") => void = () => undefined;

  readonly launch: Launch = (_, onLine): DaemonProcess => {
    this.starts++;
    this.alive = true;
    this.#says = onLine;
    const exited = new Promise<Exit>((resolve) => {
      this.#exit = resolve;
    });
    queueMicrotask(() => this.answer("start"));
    return {
      pid: this.starts,
      exited,
      kill: (signal) => {
        if (!this.alive) return;
        this.received.push(signal);
        if (signal === "SIGKILL") this.exit(null, "SIGKILL");
        else queueMicrotask(() => this.answer(signal));
      },
    };
  };

  log(level: "INFO" | "WARNING" | "ERROR", logger: string, message: string): void {
    this.say(`2026-11-15 06:16:37,940 ${level.padEnd(8)} tuned.${logger}: ${message}`);
  }

  say(line: string): void {
    this.#says(line);
  }

  load(profile: string): void {
    this.log("INFO", "profiles.loader", `loading profile: ${profile}`);
  }

  applied(profile: string): void {
    this.log("INFO", "daemon.daemon", `static tuning from profile '${profile}' applied`);
  }

  exit(code: number | null, signal: string | null = null): void {
    this.alive = false;
    this.#exit({ type: "exited", code, signal });
  }
}

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

/** A shell that keeps its variables from one command to the next, as a reader's terminal does. */
export class Terminal {
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  #output = "";
  #commands = 0;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    // A group of its own, so that what a command left behind ends with the terminal.
    this.#shell = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env, detached: true, stdio: "pipe" });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    this.#ended = new Promise((resolve) => this.#shell.once("close", resolve));
  }

  /** What the command that runs has printed so far. */
  get output(): string {
    return this.#output;
  }

  /** Starts a command that goes on. */
  start(command: string): void {
    this.#output = "";
    this.#shell.stdin.write(`exec 2>&1\n${command}\n`);
  }

  /** Runs a command to its end. */
  async run(command: string): Promise<{ readonly output: string; readonly exit: number }> {
    const mark = `end-of-command-${++this.#commands}`;
    this.start(`${command}\nprintf '%s %s\\n' ${mark} $?`);
    for (;;) {
      const found = new RegExp(`${mark} (\\d+)\\n$`).exec(this.#output);
      if (found) return { output: this.#output.slice(0, found.index), exit: Number(found[1]) };
      const more = new Promise<true>((resolve) => this.#shell.stdout.once("data", () => resolve(true)));
      if ((await Promise.race([more, this.#ended])) !== true)
        throw new Error(`the terminal was closed in the midst of: ${command}\n${this.#output}`);
    }
  }

  async close(): Promise<void> {
    if (this.#shell.pid === undefined || this.#shell.exitCode !== null) return;
    process.kill(-this.#shell.pid, "SIGTERM");
    await this.#ended;
  }
}

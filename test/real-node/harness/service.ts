import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import type { Machine } from "./machine.ts";

const keptOutput = 3000;
/** Between the end of a process and the next. */
const pauseMs = 500;

/** A program of the node. It is started again whenever it ended, as an init system would. */
export class Service {
  readonly name: string;
  readonly #machine: Machine;
  readonly #argv: readonly string[];
  /** `nsenter`, which waits for the program. */
  #outside: ChildProcess | undefined;
  #starts = 0;
  #stopped = false;

  constructor(machine: Machine, name: string, argv: readonly string[]) {
    this.#machine = machine;
    this.name = name;
    this.#argv = argv;
  }

  async start(): Promise<void> {
    if (this.#stopped) return;
    rmSync(this.#pidFile, { force: true });
    const [program = "", ...words] = [
      ...this.#machine.enter,
      "sh",
      "-c",
      `echo $$ >${this.#pidFile}.new; mv ${this.#pidFile}.new ${this.#pidFile}; exec "$@" >>${this.#log} 2>&1`,
      "sh",
      ...this.#argv,
    ];
    const child = spawn(program, words, { stdio: "ignore" });
    this.#outside = child;
    // Sockets of the process are closed when it has ended, not when it was killed.
    child.once("exit", () => {
      if (!this.#stopped) setTimeout(() => void this.start(), pauseMs);
    });
    this.#starts++;
    await eventually(10, `${this.name} has a process id`, () => existsSync(this.#pidFile));
  }

  /** Inside the machine. */
  get pid(): number {
    return Number(readFileSync(this.#pidFile, "utf8"));
  }

  signal(name: "KILL" | "STOP" | "CONT"): void {
    this.#machine.run("kill", `-${name}`, String(this.pid));
    // It stops when its program is stopped, and would not notice that the program has ended.
    if (name === "CONT") this.#outside?.kill("SIGCONT");
  }

  /** kill -9, until there is a new process. */
  async restart(): Promise<void> {
    const before = this.#starts;
    this.signal("KILL");
    await eventually(10, `${this.name} is started again`, () => this.#starts > before && existsSync(this.#pidFile));
  }

  /** It ends with its machine, and is not started again. */
  stop(): void {
    this.#stopped = true;
  }

  tail(): string {
    const text = existsSync(this.#log) ? readFileSync(this.#log, "utf8") : "";
    return `--- ${this.name}\n${text.slice(-keptOutput)}`;
  }

  get #pidFile(): string {
    return join(this.#machine.dir, `${this.name}.pid`);
  }

  get #log(): string {
    return join(this.#machine.dir, `${this.name}.log`);
  }
}

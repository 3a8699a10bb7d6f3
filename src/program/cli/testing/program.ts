import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

/** The Node.js that runs the program: that of the tests, or another one which the suites are for. */
export const node = process.env.ATTUNE_NODE ?? process.execPath;

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `attune` as users run it: bundled, in a process of its own. */
export class Program {
  /** Folder of the bundle. */
  readonly path: string;
  readonly #shared: boolean;
  readonly #running = new Set<Run>();

  private constructor(path: string, shared = false) {
    this.path = path;
    this.#shared = shared;
  }

  /** From the bundle that `npm test` makes once for all suites; if one of them runs alone, from a bundle of its own. */
  static build(): Promise<Program> {
    const shared = process.env.ATTUNE_BUNDLE;
    return shared ? Promise.resolve(new Program(shared, true)) : Program.buildOwn();
  }

  /** For a suite that changes the bundle. It is written below node_modules, where it finds packages that are not bundled. */
  static async buildOwn(): Promise<Program> {
    const path = await mkdtemp(join(root, "node_modules", ".attune-"));
    await new Promise<void>((resolve, reject) => {
      const env = { ...process.env, ATTUNE_BUNDLE_DIR: path };
      execFile(node, [join(root, "scripts/bundle.mjs")], { env }, (error, _, stderr) =>
        error ? reject(new Error(`bundle: ${stderr}`, { cause: error })) : resolve(),
      );
    });
    return new Program(path);
  }

  /** The file that Node.js runs. */
  get main(): string {
    return join(this.path, "attune.cjs");
  }

  /** `within`: a command that runs the program, such as one that enters another namespace. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}, within: readonly string[] = []): Run {
    const [program = "", ...words] = [...within, node, this.main, ...args];
    const child = spawn(program, words, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const run = new Run(child);
    this.#running.add(run);
    void run.ended.then(() => this.#running.delete(run));
    return run;
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    return this.start(args, env).ended;
  }

  async remove(): Promise<void> {
    for (const run of this.#running) await run.stop("SIGKILL");
    if (!this.#shared) await rm(this.path, { recursive: true, force: true });
  }
}

/** One process, from its start to its end. */
export class Run {
  readonly #child: ChildProcess;
  readonly ended: Promise<Outcome>;
  readonly #texts = { stdout: "", stderr: "" };

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of ["stdout", "stderr"] as const)
      child[stream]?.setEncoding("utf8").on("data", (text: string) => (this.#texts[stream] += text));
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal, ...this.#texts }));
    });
  }

  /** Resolves when the output matches. */
  async printed(pattern: RegExp, stream: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#texts[stream]);
      if (found) return found;
      const more = new Promise<undefined>((resolve) => this.#child[stream]?.once("data", () => resolve(undefined)));
      const outcome = await Promise.race([more, this.ended]);
      if (outcome) throw new Error(`ended before it printed ${pattern}: ${JSON.stringify(outcome)}`);
    }
  }

  /** Stops reading its output. */
  close(): void {
    this.#child.stdout?.destroy();
  }

  stop(signal: NodeJS.Signals): Promise<Outcome> {
    this.#child.kill(signal);
    return this.ended;
  }
}

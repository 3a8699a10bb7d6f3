import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Request } from "./driver.ts";

/** A node for tests: its own network and processes, and its own copies of files that are written. */
const setUp = `
set -e
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc
mount -t tmpfs none /run
mkdir -p /var/lib/attune && mount -t tmpfs none /var/lib/attune
rm -rf /etc/sysctl.d /etc/sysctl.conf
ip link set lo up
`;

/** A machine in private namespaces: it changes nothing outside, and its processes end with it. */
export class Machine {
  readonly #holder: ChildProcess;
  readonly #pid: number;
  readonly #bundle: string;

  private constructor(holder: ChildProcess, pid: number, bundle: string) {
    this.#holder = holder;
    this.#pid = pid;
    this.#bundle = bundle;
  }

  /** `prepare`: shell commands run within, first. */
  static async start(prepare = ""): Promise<Machine> {
    const bundle = mkdtempSync(join(tmpdir(), "attune-machine-"));
    const script = `${setUp}\n${prepare}\necho ready\nexec sleep infinity`;
    const holder = spawn("unshare", ["-m", "-n", "-p", "-f", "--mount-proc", "--kill-child", "sh", "-c", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once("data", () => resolve());
      holder.once("exit", (code) => reject(new Error(`the machine did not start: exit code ${code}`)));
    });
    const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
    return new Machine(holder, Number(children.trim()), bundle);
  }

  /** Starts Attune on the machine. A busy test machine may take seconds for a profile. */
  async attune(applyTimeoutMs = 30_000): Promise<Attune> {
    const outfile = join(this.#bundle, "driver.mjs");
    buildSync({
      entryPoints: [join(dirname(fileURLToPath(import.meta.url)), "driver.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      logLevel: "warning",
    });
    const [program = "", ...words] = this.enter;
    const child = spawn(program, [...words, process.execPath, outfile, `${applyTimeoutMs}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    return Attune.started(child, this);
  }

  /** Runs a program on the machine and returns its output. */
  run(...argv: string[]): string {
    const [program = "", ...words] = [...this.enter, ...argv];
    const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${argv.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  }

  read(path: string): string {
    return this.run("cat", path);
  }

  /** Pids of the TuneD daemons that run on it. `tuned --version` is none: the agent runs it to choose an engine. */
  daemons(): number[] {
    const listed = this.run("sh", "-c", "grep -al /usr/sbin/tuned /proc/[0-9]*/cmdline 2>/dev/null || true");
    return listed.split("\n").flatMap((path) => {
      const pid = Number(path.split("/")[2]);
      const line = path === "" ? "" : this.run("sh", "-c", `tr '\\0' ' ' <${path} 2>/dev/null || true`);
      return line.startsWith("/usr/bin/python3") && !line.includes("--version") ? [pid] : [];
    });
  }

  kill(pid: number, signal = "KILL"): void {
    this.run("sh", "-c", `kill -${signal} ${pid}`);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#holder.once("exit", resolve));
    this.#holder.kill("SIGKILL");
    await gone;
    rmSync(this.#bundle, { recursive: true, force: true });
  }

  /** The words before a program that start it on the machine. */
  get enter(): string[] {
    return ["nsenter", "-t", String(this.#pid), "-m", "-n", "-p", "--"];
  }
}

/** A process of Attune on a machine. */
export class Attune {
  readonly #child: ChildProcess;
  readonly #machine: Machine;
  readonly #pid: number;
  readonly #answers: ((line: string) => void)[] = [];

  private constructor(child: ChildProcess, machine: Machine, pid: number) {
    this.#child = child;
    this.#machine = machine;
    this.#pid = pid;
  }

  static async started(child: ChildProcess, machine: Machine): Promise<Attune> {
    const lines = createInterface({ input: child.stdout! });
    const pid = await new Promise<string>((resolve) => lines.once("line", resolve));
    const attune = new Attune(child, machine, Number(pid));
    lines.on("line", (line) => attune.#answers.shift()?.(line));
    return attune;
  }

  /** The result of an operation of the engine; rejects with its error. */
  async ask<T>(request: Request): Promise<T> {
    const line = await new Promise<string>((resolve) => {
      this.#answers.push(resolve);
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
    const answer = JSON.parse(line) as { result: T; error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  /** kill -9 */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#machine.kill(this.#pid);
    await gone;
  }
}

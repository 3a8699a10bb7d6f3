import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { machineScript } from "./machine-script.ts";

export const nodeName = "real-node";
export const nodeAddress = "10.89.0.2";

const hierarchies = "/sys/fs/cgroup";

/**
 * A node in namespaces of its own: processes, network, control groups and an overlay of this machine's files. Its
 * processes end with it, and what it writes to files is gone. Only the kernel's sysctls and devices are shared.
 */
export class Machine {
  /** Seen under this path inside and outside. */
  readonly dir: string;
  readonly #folder: string;
  readonly #holder: ChildProcess;
  readonly #group: string;
  #pid = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.dir = join(folder, "data");
    this.#group = folder.slice(folder.lastIndexOf("/") + 1);
    for (const name of ["layer", "root", "data"]) mkdirSync(join(folder, name));
    this.#holder = spawn("sh", ["-c", machineScript, "sh", folder, this.#group, nodeName, nodeAddress], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  static async start(): Promise<Machine> {
    const machine = new Machine(mkdtempSync(join(tmpdir(), "attune-node-")));
    const holder = machine.#holder;
    try {
      await new Promise<void>((resolve, reject) => {
        holder.stdout?.once("data", () => resolve());
        holder.once("exit", (code) => reject(new Error(`start the machine: exit code ${code}`)));
      });
    } catch (error) {
      await machine.#remove();
      throw error;
    }
    const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
    machine.#pid = Number(children.trim());
    return machine;
  }

  /** The words before a program that start it on the machine, in the machine's own control groups. */
  get enter(): string[] {
    const join = 'for group in /sys/fs/cgroup/*/cgroup.procs; do echo 0 >"$group"; done; exec "$@"';
    return ["nsenter", "-t", String(this.#pid), "-m", "-n", "-p", "-i", "-u", "-C", "--", "sh", "-c", join, "sh"];
  }

  /** Runs a program on the machine and returns its output. */
  run(...argv: string[]): string {
    const [program = "", ...words] = [...this.enter, ...argv];
    const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", maxBuffer: 64 << 20 });
    if (status !== 0) throw new Error(`${argv.join(" ")}: ${stderr}${stdout}`);
    return stdout.trimEnd();
  }

  /** The path outside of a file inside. */
  outside(path: string): string {
    return `/proc/${this.#pid}/root${path}`;
  }

  /** Where the machine's file system differs from this machine's: all files in its overlay that do, and new folders. */
  writtenFiles(): string[] {
    const upper = this.outside(join(this.#folder, "layer/upper"));
    const listed = execFileSync("find", [upper, "-mindepth", "1", "-printf", "%y %m %s %P\n"], { encoding: "utf8" });
    const written = listed.split("\n").flatMap((line) => {
      const [, type = "", about = "", path = ""] = /^(\S) (\S+ \S+) (.*)$/.exec(line) ?? [];
      if (path === "" || (type === "d" && existsSync(`/${path}`))) return [];
      // A file is copied into the overlay when it is opened for writing.
      if (type === "f" && spawnSync("cmp", ["-s", join(upper, path), `/${path}`]).status === 0) return [];
      return [type === "d" ? `/${path}/` : `/${path} ${type} ${about}`];
    });
    return written.sort();
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#holder.once("exit", resolve));
    if (this.#holder.exitCode === null) {
      this.#holder.kill("SIGKILL");
      await gone;
    }
    await this.#remove();
  }

  async #remove(): Promise<void> {
    for (const hierarchy of readdirSync(hierarchies))
      // Its processes were killed, but may not have ended yet.
      await eventually(30, `the control groups of ${hierarchy} are empty`, () => {
        removeGroup(join(hierarchies, hierarchy, this.#group));
        return true;
      });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The kernel removes a control group only after the groups below it. */
function removeGroup(path: string): void {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  rmdirSync(path);
}

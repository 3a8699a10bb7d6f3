import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sysctlFiles } from "./small-node.ts";

/** Whether TuneD is installed and can run in a mount namespace, where it changes only files. */
export function hasTuned(): boolean {
  const runs = (program: string, ...args: string[]): boolean =>
    spawnSync(program, args, { stdio: "ignore" }).status === 0;
  return runs("tuned", "--version") && runs("unshare", "--mount", "true");
}

/** Mounts the node's files over the kernel's, for TuneD alone. */
const script = `set -e
mount -t tmpfs tmpfs /run
mount --bind "$1/etc/tuned" /etc/tuned
shift
for file; do mount --bind "$file" "/proc/sys/\${file#*/proc/sys/}"; done
echo ready
exec tuned --no-dbus --no-socket`;

/** TuneD's daemon on a small node. */
export class RealTuned {
  readonly #root: string;
  readonly #child: ChildProcess;
  readonly #applied: (() => void)[] = [];
  #started = 0;

  private constructor(root: string) {
    this.#root = root;
    const files = sysctlFiles.map((file) => join(root, file));
    this.#child = spawn("unshare", ["--mount", "sh", "-c", script, "sh", root, ...files], {
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Resolves with how long it took from its start to an applied profile. */
  static async start(root: string, profile: string): Promise<{ tuned: RealTuned; milliseconds: number }> {
    await cp("/etc/tuned", join(root, "etc/tuned"), { recursive: true });
    await choose(root, profile);
    const tuned = new RealTuned(root);
    const { stdout, stderr } = tuned.#child;
    if (!stdout || !stderr) throw new Error("start TuneD: no pipes");
    // The shell's preparation does not count as TuneD's time.
    createInterface({ input: stdout }).on("line", () => (tuned.#started = performance.now()));
    createInterface({ input: stderr }).on("line", (line) => {
      if (/static tuning from profile '.*' applied/.test(line)) tuned.#applied.shift()?.();
    });
    await tuned.#next();
    return { tuned, milliseconds: performance.now() - tuned.#started };
  }

  /** How long it takes from the signal to another profile applied. */
  async change(profile: string): Promise<number> {
    await choose(this.#root, profile);
    const started = performance.now();
    this.#child.kill("SIGHUP");
    await this.#next();
    return performance.now() - started;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once("close", () => resolve());
      this.#child.kill("SIGTERM");
    });
  }

  #next(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#applied.push(resolve);
      this.#child.once("exit", (code) => reject(new Error(`TuneD ended with ${code} before it had applied a profile`)));
    });
  }
}

async function choose(root: string, profile: string): Promise<void> {
  await writeFile(join(root, "etc/tuned/active_profile"), `${profile}\n`);
  await writeFile(join(root, "etc/tuned/profile_mode"), "manual\n");
}

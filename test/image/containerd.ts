import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Run } from "../../src/program/cli/testing/program.ts";
import { type Bind, type Container, runtimeSpec } from "./runtime-spec.ts";

/** Debian's containerd in a mount namespace of its own: its images, containers and mounts are gone with it. */
export class Containerd {
  readonly #daemon: ChildProcess;
  readonly #pid: number;
  readonly #dir: string;
  readonly #running = new Set<Run>();

  private constructor(daemon: ChildProcess, pid: number, dir: string) {
    this.#daemon = daemon;
    this.#pid = pid;
    this.#dir = dir;
  }

  /** With `sandboxImage` it serves the Container Runtime Interface too, with this image for the sandboxes of pods. */
  static async start({ sandboxImage }: { readonly sandboxImage?: string } = {}): Promise<Containerd> {
    const dir = mkdtempSync(join(tmpdir(), "attune-containerd-"));
    const config = [
      "version = 2",
      `root = "${dir}/data/root"`,
      `state = "${dir}/data/state"`,
      `disabled_plugins = [${sandboxImage === undefined ? '"io.containerd.grpc.v1.cri", ' : ""}"io.containerd.internal.v1.opt"]`,
      `[grpc]\naddress = "${dir}/data/socket"`,
      // This machine may be a container, in which no process may lower what it is charged for.
      ...(sandboxImage === undefined
        ? []
        : [`[plugins."io.containerd.grpc.v1.cri"]\nsandbox_image = "${sandboxImage}"\nrestrict_oom_score_adj = true`]),
    ];
    writeFileSync(join(dir, "config.toml"), `${config.join("\n")}\n`);
    mkdirSync(join(dir, "data"));
    // Layers are mounted as overlays, which a file system that is an overlay itself refuses: a tmpfs does not.
    // runc keeps its state in /run.
    const mounts = `mount -t tmpfs none ${dir}/data && mount -t tmpfs none /run`;
    const script = `${mounts} && exec containerd --config ${dir}/config.toml`;
    // With the first process of the namespace end all others: shims and containers too.
    const apart = ["-m", "-p", "-f", "--mount-proc", "--kill-child"];
    const daemon = spawn("unshare", [...apart, "sh", "-c", script], { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    await new Promise<void>((resolve, reject) => {
      daemon.stderr.setEncoding("utf8").on("data", (text: string) => {
        log += text;
        if (log.includes("containerd successfully booted")) resolve();
      });
      daemon.once("error", reject);
      daemon.once("exit", (code) => reject(new Error(`containerd ended with ${code}: ${log}`)));
    });
    const children = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, "utf8");
    return new Containerd(daemon, Number(children), dir);
  }

  /** Imports an archive, and returns the names of its images. Those of pods are in a namespace of their own. */
  import(archive: string, namespace = "default"): string[] {
    this.#ctr("--namespace", namespace, "images", "import", archive);
    return this.#ctr("--namespace", namespace, "images", "list", "--quiet").trim().split("\n");
  }

  /** Its socket, as this machine sees it from outside of its mount namespace. */
  get socketOutside(): string {
    return `${this.rootOutside}${this.#socket}`;
  }

  /** The root of its mount namespace. */
  get rootOutside(): string {
    return `/proc/${this.#pid}/root`;
  }

  /** Where the files of the image are, for containers that start later. */
  unpack(image: string): string {
    const target = join(this.#dir, "data/image");
    this.run("mkdir", "-p", target);
    this.#ctr("images", "mount", "--rw", image, target);
    return target;
  }

  /** A container from the part of a pod that describes it. */
  start(name: string, container: Container, { rootfs, binds }: { rootfs: string; binds: readonly Bind[] }): Run {
    const file = join(this.#dir, `${name}.json`);
    const cgroup = `/${basename(this.#dir)}-${name}`;
    writeFileSync(file, JSON.stringify(runtimeSpec(container, rootfs, binds, cgroup)));
    const [program = "", ...words] = this.#words("ctr", "--address", this.#socket, "run", "--config", file, name);
    const run = new Run(spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] }));
    this.#running.add(run);
    void run.ended.then(() => this.#running.delete(run));
    return run;
  }

  /** Runs a program of this machine, which sees the files of images. */
  run(...argv: string[]): string {
    const [program = "", ...words] = this.#words(...argv);
    return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** What the kernel says about the first process of a container. */
  status(name: string): string {
    const lines = this.#ctr("tasks", "list").split("\n");
    const [, pid = ""] = lines.map((line) => line.split(/ +/)).find(([id]) => id === name) ?? [];
    return this.run("cat", `/proc/${pid}/status`);
  }

  /** Ends the container's process. */
  kill(name: string, signal: string): void {
    this.#ctr("tasks", "kill", "--signal", signal, name);
  }

  async stop(): Promise<void> {
    // One by one, so that runc removes their cgroups.
    for (const name of this.#ctr("tasks", "list", "--quiet").split("\n")) if (name !== "") this.kill(name, "SIGKILL");
    await Promise.all([...this.#running].map(({ ended }) => ended));
    const gone = new Promise((resolve) => this.#daemon.once("exit", resolve));
    this.#daemon.kill("SIGKILL");
    await gone;
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #socket(): string {
    return join(this.#dir, "data/socket");
  }

  #ctr(...args: string[]): string {
    return this.run("ctr", "--address", this.#socket, ...args);
  }

  #words(...argv: string[]): string[] {
    return ["nsenter", "-t", String(this.#pid), "-m", "-p", "--", ...argv];
  }
}

/** Why containers cannot run here; undefined if they can. */
export function whyNoContainers(): string | undefined {
  if (process.getuid?.() !== 0) return "containerd needs root";
  for (const program of ["containerd", "ctr", "runc"])
    if (spawnSync(program, ["--version"]).status !== 0) return `${program} is not installed`;
  return whyNoContainer();
}

/** Some machines allow root neither mounts nor cgroups: only a container shows it. This one has an overlay, as with containerd. */
function whyNoContainer(): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), "attune-container-"));
  const binds = ["/usr", "/bin", "/lib", "/lib64"].filter((path) => existsSync(path));
  const root = { command: ["/bin/true"], securityContext: { privileged: true } };
  const folders = binds.map((path) => ({ source: path, target: path, readOnly: true }));
  const spec = runtimeSpec(root, `${dir}/data/rootfs`, folders, `/${basename(dir)}`);
  writeFileSync(join(dir, "config.json"), JSON.stringify(spec));
  mkdirSync(join(dir, "data"));
  const script = `mount -t tmpfs none ${dir}/data && mount -t tmpfs none /run && cd ${dir}/data && mkdir lower upper work rootfs &&
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none rootfs && runc run --bundle ${dir} ${basename(dir)}`;
  const { status, stderr } = spawnSync("unshare", ["-m", "-p", "-f", "--mount-proc", "sh", "-c", script], {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  rmSync(dir, { recursive: true, force: true });
  return status === 0 ? undefined : `runc runs no container here: ${stderr.trim()}`;
}

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const log = "/asked-of-systemd";

/** The root of a node in a folder, with a shell and a `systemctl` that only notes what it is asked for. */
export class ScratchNode {
  readonly root = mkdtempSync(join(tmpdir(), "attune-scratch-"));
  #boots = 0;

  constructor() {
    const libraries = execFileSync("ldd", ["/bin/sh"], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
    for (const path of ["/bin/sh", ...libraries]) cpSync(path, this.#at(path), { dereference: true, recursive: true });
    this.write("/usr/bin/systemctl", `#!/bin/sh\necho "$@" >> ${log}\n`, 0o755);
    this.write(log, "");
    this.boot();
  }

  /** The next boot; what runs on the node has ended before. */
  boot(): void {
    this.write("/proc/sys/kernel/random/boot_id", `boot-${++this.#boots}\n`);
  }

  /** How often the node was asked to restart. */
  get askedToRestart(): number {
    return this.read(log).match(/^reboot$/gm)?.length ?? 0;
  }

  has(path: string): boolean {
    return existsSync(this.#at(path));
  }

  read(path: string): string {
    return readFileSync(this.#at(path), "utf8");
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(this.#at(path)), { recursive: true });
    writeFileSync(this.#at(path), text, { mode });
  }

  /** Resolves with the given number of changes in these folders, or when `over` does. */
  async changes(count: number, folders: readonly string[], over: Promise<unknown>): Promise<void> {
    let left = count;
    const watchers: { close(): void }[] = [];
    const enough = new Promise<void>((resolve) => {
      for (const folder of folders) {
        mkdirSync(this.#at(folder), { recursive: true });
        watchers.push(watch(this.#at(folder), () => --left <= 0 && resolve()));
      }
    });
    await Promise.race([enough, over]);
    for (const watcher of watchers) watcher.close();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #at(path: string): string {
    return join(this.root, path);
  }
}

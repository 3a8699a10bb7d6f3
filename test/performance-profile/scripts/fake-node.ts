import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The shells that are `/bin/sh` on nodes. */
export const shells = [["sh"], ["bash", "--posix"]] as const;
export type Shell = (typeof shells)[number];

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The files of a fake node, to run scripts on. */
export class FakeNode {
  readonly #dir = mkdtempSync(join(tmpdir(), "attune-scripts-"));
  readonly #shell: Shell;

  constructor(shell: Shell, files: Record<string, string> = {}) {
    this.#shell = shell;
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  /** The real path of a path of the node. */
  at(path: string): string {
    return join(this.#dir, "root", path);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  /** The text of a file without the last newline; undefined if there is none. */
  read(path: string): string | undefined {
    return existsSync(this.at(path)) ? readFileSync(this.at(path), "utf8").replace(/\n$/, "") : undefined;
  }

  /** Makes all writes to this path fail. */
  refuse(path: string): void {
    rmSync(this.at(path), { force: true });
    symlinkSync("/dev/full", this.at(path));
  }

  /** Adds a program that hides that of the system. */
  program(name: string, script: string): void {
    const path = join(this.#dir, "bin", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  run(script: string, env: Record<string, string> = {}, args: readonly string[] = []): Run {
    const path = join(this.#dir, "script.sh");
    writeFileSync(path, script);
    const [command, ...words] = this.#shell;
    const { status, stdout, stderr } = spawnSync(command, [...words, path, ...args], {
      encoding: "utf8",
      env: { PATH: `${join(this.#dir, "bin")}:${process.env["PATH"]}`, ATTUNE_ROOT: this.at(""), ...env },
    });
    return { code: status, out: stdout, err: stderr };
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

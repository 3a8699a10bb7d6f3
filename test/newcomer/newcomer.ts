import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { node, Program } from "../../src/program/cli/testing/program.ts";
import { root } from "../architecture/imports.ts";
import { Screen, type Shell, type Shown } from "./screen.ts";

/** A person with a checkout, an empty home folder and terminals. */
export class Newcomer {
  readonly home: string;
  readonly #attune: Program;
  readonly #screens: Screen[] = [];

  private constructor(home: string, attune: Program) {
    this.home = home;
    this.#attune = attune;
  }

  static async sitDown(): Promise<Newcomer> {
    const attune = await Program.build();
    const home = await mkdtemp(join(tmpdir(), "new-"));
    await mkdir(join(home, "bin"));
    await writeFile(join(home, "bin/attune"), `#!/bin/sh\nexec '${node}' '${attune.main}' "$@"\n`, { mode: 0o755 });
    await symlink(join(root, "examples"), join(home, "examples"));
    if (process.env.ATTUNE_KUBECTL?.includes("/")) await symlink(process.env.ATTUNE_KUBECTL, join(home, "bin/kubectl"));
    return new Newcomer(home, attune);
  }

  async open(columns: number, shell?: Shell): Promise<Screen> {
    const screen = await Screen.open({ columns, home: this.home, ...(shell && { shell }) });
    this.#screens.push(screen);
    return screen;
  }

  async save(name: string, text: string): Promise<void> {
    await writeFile(join(this.home, name), text);
  }

  /** Starts a system in a terminal of its own, and waits until it has converged. */
  async start(command: string, columns = 80): Promise<Screen> {
    const screen = await this.open(columns);
    await screen.start(command);
    await screen.shows(/press Ctrl-C to stop/);
    return screen;
  }

  async leave(): Promise<void> {
    // A program in a terminal that closes gets SIGHUP.
    for (const screen of this.#screens) await screen.close();
    await this.#attune.remove();
    await rm(this.home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

/** What must be copied in one piece, and single words, may be longer than a terminal is wide. */
const unbroken = /^ *(?:(?:export|attune|kubectl|to look:) .*|\S+|\S+ +(?:https?:\/\/|\/)\S+)$/;

/** Lines that the terminal had to break, which nobody reads with pleasure. */
export function brokenLines({ lines }: Shown, columns: number): readonly string[] {
  return lines.filter((line) => line.length > columns && !unbroken.test(line));
}

/** A screen that leaves no question open: whole lines, and what is asked for. */
export function expectAnswer(shown: Shown, columns: number, answers: readonly (string | RegExp)[], exit = 0): void {
  expect([brokenLines(shown, columns), shown.exit]).toEqual([[], exit]);
  // Text that is wrapped to the terminal is compared in one line.
  const text = shown.text.replaceAll(/\s+/g, " ");
  for (const answer of answers) expect(text).toMatch(answer);
}

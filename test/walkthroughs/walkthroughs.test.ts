import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { node, Program } from "../../src/program/cli/testing/program.ts";
import { root } from "../architecture/imports.ts";
import { type Step, stepsOf } from "./page.ts";
import { isShown } from "./shown.ts";
import { Terminal } from "./terminal.ts";

const folder = join(root, "docs/journeys");
const pages = (await readdir(folder)).filter((name) => name.endsWith(".md") && name !== "README.md");

/** A reader repeats these until they print what the page shows: nodes follow a change after moments. */
const repeated = /^(kubectl( -\S+ \S+| --\S+)* (get|logs)|attune (status|explain|lab read|profile info))( |$)/;

/** Only a reader who waits in vain gives up; a page has many such waits. */
const patience = { timeout: 100_000, interval: 100 };

let attune: Program;
beforeAll(async () => {
  attune = await Program.build();
});
afterAll(() => attune.remove());

it("there is a page for every journey", () => {
  expect(pages.length).toBeGreaterThan(0);
});

it.each(pages)("%s happens as it is written", { timeout: 900_000 }, async (page) => {
  const steps = stepsOf(await readFile(join(folder, page), "utf8"));
  const reader = await Reader.sitDown();
  try {
    for (const step of steps) await reader.do(step, page);
  } finally {
    await reader.leave();
  }
  expect(steps.filter(({ type }) => type === "command").length).toBeGreaterThan(2);
});

/** Follows a page in an empty home folder. */
class Reader {
  readonly #home: string;
  readonly #terminals = new Map<string, Terminal>();

  private constructor(home: string) {
    this.#home = home;
  }

  static async sitDown(): Promise<Reader> {
    const home = await mkdtemp(join(tmpdir(), "attune-reader-"));
    await mkdir(join(home, "bin"));
    await writeFile(join(home, "bin/attune"), `#!/bin/sh\nexec '${node}' '${attune.main}' "$@"\n`, { mode: 0o755 });
    await symlink(join(root, "examples"), join(home, "examples"));
    return new Reader(home);
  }

  async do(step: Step, page: string): Promise<void> {
    if (step.type === "file") return writeFile(join(this.#home, step.name), step.text);
    const where = `docs/journeys/${page}:${step.line}: ${step.command}`;
    const terminal = this.#terminal(step.terminal);
    const check = (output: string, whole: boolean): void => {
      if (!isShown(step.shows, output, whole)) throw new Error(`${where}\nprinted:\n${output}`);
    };
    if (step.terminal) {
      terminal.start(step.command);
      return vi.waitFor(() => check(terminal.output, false), patience);
    }
    const once = async (): Promise<void> => {
      const { output, exit } = await terminal.run(step.command);
      if (exit !== step.exits) throw new Error(`${where}\nexit code ${exit}:\n${output}`);
      if (step.shows.length > 0) check(output, true);
    };
    await (repeated.test(step.command) ? vi.waitFor(once, patience) : once());
  }

  async leave(): Promise<void> {
    await Promise.all(Array.from(this.#terminals.values(), (terminal) => terminal.close()));
    await rm(this.#home, { recursive: true, force: true });
  }

  #terminal(name: string): Terminal {
    const known = this.#terminals.get(name);
    if (known) return known;
    const { PATH, LANG } = process.env;
    const env = { HOME: this.#home, PATH: [join(this.#home, "bin"), PATH].join(delimiter), LANG, COLUMNS: "80" };
    const opened = new Terminal(this.#home, env);
    this.#terminals.set(name, opened);
    return opened;
  }
}

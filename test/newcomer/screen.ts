import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";

/** Where tmux is missing, the suites are skipped: `npm test` says so. */
export const tmux = process.env.ATTUNE_TMUX;

/** Only who waits in vain gives up. */
const patience = { timeout: 100_000, interval: 50 };

export interface Shown {
  /** What the command printed, with the lines that the terminal broke put together again. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly exit: number;
}

export interface ScreenOptions {
  readonly columns: number;
  readonly rows?: number;
  /** Working and home folder. Programs are found in its `bin` first. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: Shell;
}

/** A real terminal, in which keys are pressed and whose screen is read. Each has a tmux server of its own. */
export class Screen {
  readonly #socket: string;

  private constructor(home: string) {
    this.#socket = join(home, `.tmux-${randomUUID()}`);
  }

  static async open({ columns, rows = 40, home, env = {}, shell = "bash" }: ScreenOptions): Promise<Screen> {
    const screen = new Screen(home);
    const path = `${home}/bin:${process.env.PATH}`;
    const variables = {
      HOME: home,
      PATH: path,
      TERM: "tmux-256color",
      LANG: "C.UTF-8",
      PS1: shells[shell].prompt,
      ...env,
    };
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    await screen.#tmux(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      `${columns}`,
      "-y",
      `${rows}`,
      "-c",
      home,
      "env",
      "-i",
      ...settings,
      ...shells[shell].command,
    );
    await screen.#tmux("set-option", "-g", "history-limit", "10000");
    await screen.shows(/^\d+:\d+> ?$/m);
    return screen;
  }

  /** Types a command, and waits for the next prompt. */
  async run(command: string): Promise<Shown> {
    const [{ next }] = [await this.#prompt()];
    await this.start(command);
    return vi.waitFor(async () => {
      const lines = await this.#lines();
      const last = promptOf(lines.at(-1));
      if (!last || last.next <= next) throw new Error(`waiting for the end of: ${command}\n${lines.join("\n")}`);
      const from = lines.findLastIndex((line) => line.startsWith(`${next}:`)) + 1;
      const printed = lines.slice(from, -1);
      return { lines: printed, text: printed.join("\n"), exit: last.exit };
    }, patience);
  }

  /** Repeats a command that only reads until it shows what is waited for, as a reader would. */
  async until(command: string, pattern: RegExp): Promise<Shown> {
    return vi.waitFor(async () => {
      const shown = await this.run(command);
      if (!pattern.test(shown.text)) throw new Error(`${command} does not show ${pattern}:\n${shown.text}`);
      return shown;
    }, patience);
  }

  /** Types a command that goes on. */
  async start(command: string): Promise<void> {
    await this.#tmux("send-keys", "-l", command);
    await this.press("Enter");
  }

  /** As tmux names it: `Enter`, `Tab`, `C-c`. */
  async press(key: string): Promise<void> {
    await this.#tmux("send-keys", key);
  }

  /** At a prompt: what is typed while Ctrl-C is at work is lost. */
  async type(text: string): Promise<void> {
    await this.#prompt();
    await this.#tmux("send-keys", "-l", text);
  }

  /** Resolves with all that the terminal shows, once that matches. */
  async shows(pattern: RegExp): Promise<string> {
    return vi.waitFor(async () => {
      const text = (await this.#lines()).join("\n");
      if (!pattern.test(text)) throw new Error(`the terminal does not show ${pattern}:\n${text}`);
      return text;
    }, patience);
  }

  async close(): Promise<void> {
    await this.#tmux("kill-server");
  }

  async #prompt(): Promise<{ readonly next: number; readonly exit: number }> {
    return vi.waitFor(async () => {
      const lines = await this.#lines();
      const found = promptOf(lines.at(-1));
      if (!found) throw new Error(`the terminal has no prompt:\n${lines.join("\n")}`);
      return found;
    }, patience);
  }

  /** From the beginning, without the empty rows at the bottom. */
  async #lines(): Promise<string[]> {
    const text = await this.#tmux("capture-pane", "-p", "-J", "-S", "-");
    return text
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd());
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(tmux ?? "tmux", ["-S", this.#socket, ...args]);
    return stdout;
  }
}

/** Shells without the settings of a user. Their prompt is the number of the next command and the exit code of the last one: `3:0> `. */
export const shells = {
  bash: { command: ["bash", "--noprofile", "--norc"], prompt: String.raw`\#:$?> ` },
  zsh: { command: ["zsh", "-f"], prompt: "%!:%?> " },
  fish: { command: ["fish", "--no-config", "--init-command", fishPrompt()], prompt: "" },
};
export type Shell = keyof typeof shells;

function fishPrompt(): string {
  return 'set -g n 0; function fish_prompt; set -l code $status; set n (math $n + 1); echo -n "$n:$code> "; end';
}

function promptOf(line = ""): { readonly next: number; readonly exit: number } | undefined {
  const [, next, exit] = /^(\d+):(\d+)>$/.exec(line) ?? [];
  return next === undefined ? undefined : { next: Number(next), exit: Number(exit) };
}

import { spawn, spawnSync } from "node:child_process";
import { expect } from "vitest";

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  /** Ends a command that would run forever, once its output is enough. */
  readonly enough?: (out: string) => boolean;
  /** Called after the first output, for actions while the command runs. */
  readonly meanwhile?: () => Promise<void>;
}

/** The kubectl to test with, `undefined` if there is none. */
export const kubectlPath = ((): string | undefined => {
  const path = process.env.ATTUNE_KUBECTL ?? "kubectl";
  return spawnSync(path, ["version", "--client"]).status === 0 ? path : undefined;
})();

/** kubectl on one server, with its own home directory, so that no cache or setting of this machine matters. */
export class Kubectl {
  readonly #home: string;
  readonly #kubeconfig: string;

  constructor(home: string, kubeconfig: string) {
    this.#home = home;
    this.#kubeconfig = kubeconfig;
  }

  /** The same home directory, another kubeconfig. */
  with(kubeconfig: string): Kubectl {
    return new Kubectl(this.#home, kubeconfig);
  }

  run(command: string, { stdin, env, enough, meanwhile }: RunOptions = {}): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(kubectlPath ?? "kubectl", words(command), {
        cwd: this.#home,
        // A command is short: collecting its garbage takes a quarter of its time.
        env: { PATH: process.env.PATH, HOME: this.#home, KUBECONFIG: this.#kubeconfig, GOGC: "400", ...env },
      });
      let out = "";
      let err = "";
      let meanwhileDone: Promise<void> | undefined;
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text;
        meanwhileDone ??= meanwhile?.();
        if (enough?.(out)) child.kill();
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      child.on("error", reject);
      child.on("close", (code) => {
        const outcome = { code, out: out.trimEnd(), err: err.trimEnd() };
        Promise.resolve(meanwhileDone).then(() => resolve(outcome), reject);
      });
      child.stdin.on("error", () => {});
      child.stdin.end(stdin);
    });
  }

  /** Expects success and this output: a text is all of it, a pattern matches a part. */
  async prints(command: string, expected: string | RegExp, options?: RunOptions): Promise<string> {
    const { code, out, err } = await this.run(command, options);
    const said = typeof expected === "string" ? expected : expect.stringMatching(expected);
    expect({ command, code, out, err }).toEqual({ command, code: 0, out: said, err });
    return out;
  }

  /** Expects success and returns the output. */
  async out(command: string, options?: RunOptions): Promise<string> {
    return this.prints(command, /(?:)/, options);
  }

  async json(command: string, options?: RunOptions): Promise<unknown> {
    return JSON.parse(await this.out(`${command} -o json`, options)) as unknown;
  }

  /** Expects exit code 1, or `options.code`, and this on standard error. */
  async refuses(
    command: string,
    expected: string | RegExp,
    options: RunOptions & { code?: number } = {},
  ): Promise<void> {
    const { code, err } = await this.run(command, options);
    const said = typeof expected === "string" ? expected : expect.stringMatching(expected);
    expect({ command, code, err }).toEqual({ command, code: options.code ?? 1, err: said });
  }
}

/** Splits a command line at blanks; `'…'` quotes a word with blanks. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""));
}

import { spawn, spawnSync } from "node:child_process";
import { expect } from "vitest";
import { words } from "./words.ts";

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  /** Ends the command once what it has printed is enough; for commands that never end by themselves. */
  readonly enough?: (out: string) => boolean;
  /** Called once the command has printed something; for what has to happen while it runs. */
  readonly meanwhile?: () => Promise<void>;
}

/** The kubectl to test with, or `undefined` where there is none. */
export const kubectlPath = ((): string | undefined => {
  const path = process.env.ATTUNE_KUBECTL ?? "kubectl";
  return spawnSync(path, ["version", "--client"]).status === 0 ? path : undefined;
})();

/** kubectl on one server, with a home of its own, so that no cache or setting of this machine plays a part. */
export class Kubectl {
  readonly #home: string;
  readonly #kubeconfig: string;

  constructor(home: string, kubeconfig: string) {
    this.#home = home;
    this.#kubeconfig = kubeconfig;
  }

  /** The same home, another identity. */
  with(kubeconfig: string): Kubectl {
    return new Kubectl(this.#home, kubeconfig);
  }

  run(command: string, { stdin, env, enough, meanwhile }: RunOptions = {}): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(kubectlPath ?? "kubectl", words(command), {
        cwd: this.#home,
        env: { PATH: process.env.PATH, HOME: this.#home, KUBECONFIG: this.#kubeconfig, ...env },
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

  /** It succeeds and prints this. A text is all of the output, a pattern is found in it. */
  async prints(command: string, expected: string | RegExp, options?: RunOptions): Promise<string> {
    const { code, out, err } = await this.run(command, options);
    const said = typeof expected === "string" ? expected : expect.stringMatching(expected);
    expect({ command, code, out, err }).toEqual({ command, code: 0, out: said, err });
    return out;
  }

  /** It succeeds; what it printed is for the caller to look at. */
  async out(command: string, options?: RunOptions): Promise<string> {
    return this.prints(command, /(?:)/, options);
  }

  async json(command: string, options?: RunOptions): Promise<unknown> {
    return JSON.parse(await this.out(`${command} -o json`, options)) as unknown;
  }

  /** It fails with exit code 1 (unless said otherwise) and this on standard error. */
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

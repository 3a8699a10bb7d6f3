import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";

const KEPT_OUTPUT = 4000;

/** A program that runs until it is stopped, with the tail of its output. It is killed when this process exits. */
export class Program {
  readonly #path: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #killAtExit = (): void => void this.#child.kill("SIGKILL");
  #output = "";
  #alive = true;

  constructor(path: string, flags: readonly string[], onOutput: (text: string) => void = () => {}) {
    this.#path = path;
    this.#child = spawn(path, flags, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
        onOutput(text);
      });
    this.#ended = new Promise((resolve) => {
      const end = (why: string) => (): void => {
        this.#alive = false;
        this.#output += why;
        resolve();
      };
      this.#child.once("exit", end("(ended)"));
      this.#child.once("error", (error) => end(String(error))());
    });
    process.once("exit", this.#killAtExit);
  }

  alive(): boolean {
    return this.#alive;
  }

  tail(): string {
    return `${this.#path}: ${this.#output}`;
  }

  /** Killed without a chance to clean up: its directory is deleted anyway. */
  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    process.off("exit", this.#killAtExit);
  }
}

/** A free port. Concurrent calls get different ones: the kernel does not reuse a port at once. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

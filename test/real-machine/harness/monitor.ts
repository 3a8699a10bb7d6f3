import { LineSocket } from "./line-socket.ts";

interface Reply {
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
}

/** The emulator's control socket. Commands are answered in order. */
export class Monitor {
  readonly #answers: ((reply: Reply) => void)[] = [];
  #lines: LineSocket | undefined;

  static async listen(path: string): Promise<Monitor> {
    const monitor = new Monitor();
    monitor.#lines = await LineSocket.listen(path, (line) => monitor.#heard(JSON.parse(line) as object));
    return monitor;
  }

  async ask(execute: string, given: object = {}): Promise<unknown> {
    const reply = await new Promise<Reply>((resolve) => {
      this.#answers.push(resolve);
      this.#lines?.send(JSON.stringify({ execute, arguments: given }));
    });
    if (reply.error) throw new Error(`${execute}: ${reply.error.desc}`);
    return reply.return;
  }

  /** How often the guest has written to its first disk since the emulator started. */
  async writes(): Promise<number> {
    const [disk] = (await this.ask("query-blockstats")) as { stats: { wr_operations: number } }[];
    return disk?.stats.wr_operations ?? 0;
  }

  close(): void {
    this.#lines?.close();
  }

  #heard(message: object): void {
    // The emulator connected: it takes commands only after this one.
    if ("QMP" in message) this.#lines?.send(JSON.stringify({ execute: "qmp_capabilities", id: "greeting" }));
    else if (!("event" in message) && !("id" in message)) this.#answers.shift()?.(message);
  }
}

import { LineSocket } from "./line-socket.ts";

export interface Boot {
  /** Of the kernel: new with each boot. */
  readonly id: string;
  /** Since the kernel started, until user space took commands. */
  readonly seconds: number;
}

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");

/** Commands to the guest's root shell, and the boots that it announced. */
export class Channel {
  readonly boots: Boot[] = [];
  readonly #waiting = new Map<string, Waiting>();
  readonly #onBoot = new Set<() => void>();
  #lines: LineSocket | undefined;
  #commands = 0;

  static async listen(path: string): Promise<Channel> {
    const channel = new Channel();
    channel.#lines = await LineSocket.listen(path, (line) => channel.#heard(line));
    return channel;
  }

  /** The boot after the first `count`. */
  async bootAfter(count: number): Promise<Boot> {
    for (;;) {
      const boot = this.boots[count];
      if (boot) return boot;
      await new Promise<void>((resolve) => this.#onBoot.add(resolve));
    }
  }

  send(script: string): Promise<Answer> {
    const id = `c${++this.#commands}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#lines?.send(`${id} ${Buffer.from(script).toString("base64")}`);
    });
  }

  /** Commands that the guest had not answered when it went down. */
  fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }

  close(): void {
    this.fail("the channel was closed");
    this.#lines?.close();
  }

  #heard(line: string): void {
    const [first = "", second = "", ...rest] = line.split(" ");
    if (first === "boot") return this.#booted({ id: second, seconds: Number(rest[0]) });
    // A line that ends early is of a guest that went down.
    if (rest.at(-1) !== "end") return;
    const [stdout = "", stderr = ""] = rest;
    this.#waiting.get(first)?.resolve({ code: Number(second), stdout: decode(stdout), stderr: decode(stderr) });
    this.#waiting.delete(first);
  }

  #booted(boot: Boot): void {
    // The shell of the same boot was started again.
    if (this.boots.at(-1)?.id === boot.id) return;
    this.fail("the guest was restarted");
    this.boots.push(boot);
    for (const resolve of this.#onBoot) resolve();
    this.#onBoot.clear();
  }
}

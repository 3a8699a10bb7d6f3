import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** A Unix socket that the emulator connects to when it starts, and that both sides write lines to. */
export class LineSocket {
  readonly path: string;
  readonly #server: Server;
  #socket: Socket | undefined;

  private constructor(path: string, onLine: (line: string) => void) {
    this.path = path;
    this.#server = createServer((socket) => {
      this.#socket = socket;
      const lines = createInterface({ input: socket, crlfDelay: Infinity });
      // The emulator was killed: the caller that waits for a line learns it from its process. The lines repeat errors of the socket.
      for (const stream of [socket, lines]) stream.on("error", () => socket.destroy());
      lines.on("line", onLine);
    });
  }

  static async listen(path: string, onLine: (line: string) => void): Promise<LineSocket> {
    rmSync(path, { force: true });
    const lines = new LineSocket(path, onLine);
    lines.#server.listen(path);
    await once(lines.#server, "listening");
    return lines;
  }

  send(line: string): void {
    if (!this.#socket) throw new Error(`${this.path}: the emulator has not connected`);
    this.#socket.write(`${line}\n`);
  }

  close(): void {
    this.#socket?.destroy();
    this.#server.close();
  }
}

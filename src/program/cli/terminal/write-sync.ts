import { writeSync } from "node:fs";

/**
 * Writes to standard output or error without making a stream of it: what streams are made of takes longer to load than
 * many a command takes.
 */
export function writeAtOnce(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Whoever reads may have seen enough: `attune tuned list | head`.
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      // Somebody who shares the pipe made it one that does not wait for its reader.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
}

import type { Clock } from "../../../../cluster/runtime/clock.ts";

export interface LogLine {
  readonly at: number;
  readonly text: string;
}

/** Longer lines are cut into several, as container runtimes do. */
const longestLine = 16 * 1024;
const mostCharacters = 256 * 1024;
/** The limit of all logs of a process together; above it each keeps `littleCharacters`. */
const mostOfAll = 64 * 1024 * 1024;
const littleCharacters = 8 * 1024;
/** The cost of a line besides its text. */
const lineOverhead = 64;

/** The size of all logs that share it. */
export class LogBudget {
  used = 0;
}

/** The latest lines of one run of a container. Memory is bounded: the oldest lines are dropped. */
export class ContainerLog {
  readonly #clock: Clock;
  readonly #budget: LogBudget;
  #lines: LogLine[] = [];
  /** Lines before this one are dropped; the array is cut when they are half of it. */
  #first = 0;
  #size = 0;
  #closed = false;
  readonly #followers = new Set<() => void>();
  /** Lines ever written: a follower's position. */
  #written = 0;

  constructor(clock: Clock, budget: LogBudget) {
    this.#clock = clock;
    this.#budget = budget;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Characters, with the overhead of lines. */
  get size(): number {
    return this.#size;
  }

  write(text: string): void {
    if (this.#closed) return;
    const at = this.#clock.now();
    for (const line of text.split("\n"))
      for (let start = 0; start === 0 || start < line.length; start += longestLine)
        this.#add({ at, text: line.slice(start, start + longestLine) });
    this.#notify();
  }

  /** Later writes are ignored. */
  close(): void {
    this.#closed = true;
    this.#notify();
    this.#followers.clear();
  }

  /** Closes the log and gives its share of the budget back. */
  discard(): void {
    this.close();
    this.#budget.used -= this.#size;
    this.#lines = [];
    this.#first = this.#size = 0;
  }

  lines(): readonly LogLine[] {
    return this.#first === 0 ? this.#lines : this.#lines.slice(this.#first);
  }

  /** The lines after the first `seen` ever written, without dropped ones, and the new count. */
  after(seen: number): { lines: readonly LogLine[]; seen: number } {
    const missed = this.#written - seen;
    const held = this.#lines.length - this.#first;
    const lines = missed <= 0 ? [] : this.#lines.slice(this.#lines.length - Math.min(missed, held));
    return { lines, seen: this.#written };
  }

  get written(): number {
    return this.#written;
  }

  /** Calls back after each write and when the log is closed. Returns how to stop. */
  follow(changed: () => void): () => void {
    this.#followers.add(changed);
    return () => void this.#followers.delete(changed);
  }

  #add(line: LogLine): void {
    this.#lines.push(line);
    this.#written++;
    this.#grow(line.text.length + lineOverhead);
    const most = this.#budget.used > mostOfAll ? littleCharacters : mostCharacters;
    while (this.#size > most && this.#first < this.#lines.length - 1) {
      const oldest = this.#lines[this.#first++];
      this.#grow(-((oldest?.text.length ?? 0) + lineOverhead));
    }
    if (this.#first > 64 && this.#first > this.#lines.length / 2) {
      this.#lines = this.#lines.slice(this.#first);
      this.#first = 0;
    }
  }

  #grow(by: number): void {
    this.#size += by;
    this.#budget.used += by;
  }

  #notify(): void {
    for (const changed of this.#followers) changed();
  }
}

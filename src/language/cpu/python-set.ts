import type { CpuSet } from "./cpu-set.ts";

/**
 * `list(set(all) - set(removed))` in CPython: TuneD inverts lists of CPUs this way, and the order reaches the kernel's
 * boot arguments, where another order costs a restart of the node. It depends on the numbers alone.
 */
export function pythonDifference(all: CpuSet, removed: CpuSet): number[] {
  const numbers = new HashTable();
  for (const number of all) numbers.add(number);
  const without = new Set(removed);
  // A set of which few are removed is copied; otherwise those that stay are added to an empty one.
  const isCopied = numbers.used >> 2 > without.size;
  const result = isCopied ? numbers.copy() : new HashTable();
  if (!isCopied) for (const number of numbers) if (!without.has(number)) result.add(number);
  return [...result].filter((number) => !without.has(number));
}

/** A table of numbers as CPython's `Objects/setobject.c` keeps it; a number is its own hash. */
class HashTable {
  #slots: (number | undefined)[];
  used = 0;

  constructor(least = 0) {
    this.#slots = slotsFor(least);
  }

  add(number: number): void {
    place(number, this.#slots);
    this.used++;
    if (!isCrowded(this.used, this.#slots.length)) return;
    const before = [...this];
    this.#slots = slotsFor(this.used * 4);
    for (const one of before) place(one, this.#slots);
  }

  /** A copy has the same order if it has the same size. */
  copy(): HashTable {
    const copy = new HashTable(isCrowded(this.used, smallest) ? this.used * 2 : 0);
    if (copy.#slots.length === this.#slots.length) return this;
    for (const number of this) copy.add(number);
    return copy;
  }

  *[Symbol.iterator](): Generator<number> {
    for (const number of this.#slots) if (number !== undefined) yield number;
  }
}

/** Whether CPython makes the table larger. */
function isCrowded(used: number, slots: number): boolean {
  return used * 5 >= (slots - 1) * 3;
}

const smallest = 8;

function slotsFor(least: number): (number | undefined)[] {
  let size = smallest;
  while (size <= least) size *= 2;
  return Array.from<undefined>({ length: size });
}

const linearProbes = 9;

/** Looks at a few slots in a row where they fit, then jumps. */
function place(number: number, slots: (number | undefined)[]): void {
  const mask = slots.length - 1;
  let rest = number;
  for (let start = number & mask; ; start = (start * 5 + 1 + rest) & mask) {
    const last = start + linearProbes <= mask ? start + linearProbes : start;
    for (let slot = start; slot <= last; slot++)
      if (slots[slot] === undefined) {
        slots[slot] = number;
        return;
      }
    rest >>>= 5;
  }
}

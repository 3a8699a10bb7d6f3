/** The body of a request, as far as it has arrived. */
export interface HeldBody {
  /** Whose it is, widest first, such as user and connection. The same owners are the same values. */
  readonly owners: readonly unknown[];
  /** Changed by the budget only. */
  bytes: number;
  /** The budget has dropped the body: its bytes are to be forgotten. */
  readonly refuse: () => void;
}

/**
 * Bytes of all bodies that a server holds. When they are too many, the owner of most bytes gives way, with the body that
 * has been incomplete for longest: clients send a body at once, and bodies that never end must not keep out those of others.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #incomplete = new Set<HeldBody>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(body: HeldBody, count: number): void {
    this.#incomplete.add(body);
    body.bytes += count;
    this.#bytes += count;
    while (this.#bytes > this.#maxBytes && this.#incomplete.size > 0) {
      const excess = heaviest([...this.#incomplete], 0);
      this.release(excess);
      excess.refuse();
    }
  }

  /** The whole body is here. Its bytes count until they are released, but it is not refused any more. */
  complete(body: HeldBody): void {
    this.#incomplete.delete(body);
  }

  release(body: HeldBody): void {
    this.#incomplete.delete(body);
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }
}

/** The first body of the owner that holds most, and of its parts the one that holds most. There is at least one body. */
function heaviest(bodies: readonly HeldBody[], level: number): HeldBody {
  const [first] = bodies as [HeldBody];
  if (level >= first.owners.length) return first;
  const held = new Map<unknown, number>();
  for (const { owners, bytes } of bodies) held.set(owners[level], (held.get(owners[level]) ?? 0) + bytes);
  const most = Math.max(...held.values());
  return heaviest(
    bodies.filter(({ owners }) => held.get(owners[level]) === most),
    level + 1,
  );
}

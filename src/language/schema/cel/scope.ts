import type { Frame } from "./frame.ts";
import type { Library } from "./library/overload.ts";
import type { CompileError } from "./syntax.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

/** An expression that is known to make sense: what it yields, and how. */
export interface Compiled {
  readonly type: Type;
  readonly run: (frame: Frame) => Value;
}

/** Names an expression may use, each with a place in the frame. Inner scopes add the variables of loops. */
export class Scope {
  readonly library: Library;
  /** What was found wrong so far: an expression is looked through to its end. */
  readonly faults: CompileError[];
  readonly #names = new Map<string, { slot: number; type: Type }>();
  readonly #parent: Scope | undefined;
  readonly #slots: { count: number };

  constructor(library: Library, parent?: Scope) {
    this.library = library;
    this.faults = parent ? parent.faults : [];
    this.#parent = parent;
    this.#slots = parent ? parent.#slots : { count: 0 };
  }

  declare(name: string, type: Type): number {
    const slot = this.#slots.count++;
    this.#names.set(name, { slot, type });
    return slot;
  }

  find(name: string): { slot: number; type: Type } | undefined {
    return this.#names.get(name) ?? this.#parent?.find(name);
  }

  inner(): Scope {
    return new Scope(this.library, this);
  }
}

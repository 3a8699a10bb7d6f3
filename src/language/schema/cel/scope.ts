import type { Frame } from "./frame.ts";
import type { Library } from "./library/overload.ts";
import type { CompileError } from "./syntax.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

/** A compiled part of an expression: the type of its result, and how to compute it. */
export interface Compiled {
  readonly type: Type;
  readonly run: (frame: Frame) => Value;
}

/** The names that an expression may use, each with its slot in the frame. Inner scopes add the variables of loops. */
export class Scope {
  readonly library: Library;
  /** The faults found so far: compilation continues after a fault, to report all of them. */
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

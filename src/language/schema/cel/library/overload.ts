import { charge, type Frame, sizeCost } from "../frame.ts";
import { agree, type Type } from "../type.ts";
import { isList, kindOf, OpaqueValue, type Value } from "../value.ts";

/** One way to call a function. A member's first parameter is what stands before the dot. */
export interface Overload {
  readonly member: boolean;
  readonly params: readonly Type[];
  /** The type of the result; a function of the arguments' types where they matter, undefined where they do not fit. */
  readonly result: Type | ((args: readonly Type[]) => Type | undefined);
  readonly run: (args: readonly Value[], frame: Frame) => Value;
}

export type Library = ReadonlyMap<string, readonly Overload[]>;

/** Collects overloads under their names. `A` stands for the type a handler takes, checked before it is called. */
export class LibraryBuilder {
  readonly #overloads = new Map<string, Overload[]>();

  function(name: string, params: Type[], result: Overload["result"], run: Overload["run"]): this {
    return this.#add(name, { member: false, params, result, run });
  }

  member(name: string, params: Type[], result: Overload["result"], run: Overload["run"]): this {
    return this.#add(name, { member: true, params, result, run });
  }

  build(): Library {
    return this.#overloads;
  }

  #add(name: string, overload: Overload): this {
    const known = this.#overloads.get(name);
    if (known) known.push(overload);
    else this.#overloads.set(name, [overload]);
    return this;
  }
}

/** The same functions, where every call also costs as much as it takes to look at its arguments. */
export function paidBySize(library: Library): Library {
  const paid = (overload: Overload): Overload => ({
    ...overload,
    run: (args, frame) => {
      for (const argument of args) charge(frame, sizeCost(argument) - 1);
      return overload.run(args, frame);
    },
  });
  return new Map([...library].map(([name, overloads]) => [name, overloads.map(paid)]));
}

export function resultOf(overload: Overload, args: readonly Type[]): Type | undefined {
  if (overload.params.length !== args.length) return undefined;
  for (let i = 0; i < args.length; i++) if (!agree(overload.params[i]!, args[i]!)) return undefined;
  return typeof overload.result === "function" ? overload.result(args) : overload.result;
}

/** Whether values that were unknown at compile time turn out to be what the overload takes. */
export function accepts(overload: Overload, args: readonly Value[]): boolean {
  return overload.params.every((param, i) => isOfType(args[i]!, param));
}

/** The first item speaks for a list: all were of one type when it was made. */
function isOfType(value: Value, type: Type): boolean {
  if (type.kind === "dyn") return true;
  if (type.kind === "list") return isList(value) && (value.length === 0 || isOfType(value[0]!, type.item));
  if (type.kind === "opaque") return value instanceof OpaqueValue && value.type === type.name;
  return kindOf(value) === type.kind;
}

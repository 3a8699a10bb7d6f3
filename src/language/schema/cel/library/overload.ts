import { charge, type Frame, sizeCost } from "../frame.ts";
import { agree, type Type } from "../type.ts";
import { isList, kindOf, OpaqueValue, type Value } from "../value.ts";

/** One signature of a function. The first parameter of a member is the value before the dot. */
export interface Overload {
  readonly member: boolean;
  readonly params: readonly Type[];
  /** The type of the result, or a function that derives it from the types of the arguments; undefined if they do not fit. */
  readonly result: Type | ((args: readonly Type[]) => Type | undefined);
  readonly run: (args: readonly Value[], frame: Frame) => Value;
}

export type Library = ReadonlyMap<string, readonly Overload[]>;

/** Collects overloads by name. */
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

/** The same functions, with the size of the arguments added to the cost of a call. */
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

/** Whether an overload takes values whose types were unknown at compile time. */
export function accepts(overload: Overload, args: readonly Value[]): boolean {
  for (let i = 0; i < overload.params.length; i++) if (!isOfType(args[i]!, overload.params[i]!)) return false;
  return true;
}

/** Checks only the first item of a list: all items of a list have one type. */
function isOfType(value: Value, type: Type): boolean {
  if (type.kind === "dyn") return true;
  if (type.kind === "list") return isList(value) && (value.length === 0 || isOfType(value[0]!, type.item));
  if (type.kind === "opaque") return value instanceof OpaqueValue && value.type === type.name;
  return kindOf(value) === type.kind;
}

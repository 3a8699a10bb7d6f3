import { equals, order } from "../comparison.ts";
import { fail } from "./conversions.ts";
import { charge, type Frame, sizeCost } from "../frame.ts";
import { checkedInt, nanos, uintOf, unsigned } from "./operators.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { durationOf } from "../time-value.ts";
import { agree, bool, double, duration, dyn, int, list, optional, type Type, uint } from "../type.ts";
import { none, OptionalValue, type Value } from "../value.ts";

const anyList = list(dyn);
const itemOf = (type: Type): Type => (type.kind === "list" ? type.item : dyn);
const ordered = new Set(["dyn", "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"]);

/** Functions of lists, sets and optional values. */
export function lists(): Library {
  const library = new LibraryBuilder();
  const items = (value: Value, frame: Frame): readonly Value[] => {
    charge(frame, sizeCost(value));
    return value as readonly Value[];
  };
  /** Sorting compares each item about log2(n) times. */
  const compared = (value: Value, frame: Frame): readonly Value[] => {
    const all = items(value, frame);
    const times = 1 + Math.log2(1 + all.length);
    for (const item of all) charge(frame, sizeCost(item) * times);
    return all;
  };
  const ifOrdered =
    (result: (item: Type) => Type) =>
    ([type]: readonly Type[]): Type | undefined =>
      ordered.has(itemOf(type!).kind) ? result(itemOf(type!)) : undefined;

  library
    .member(
      "isSorted",
      [anyList],
      ifOrdered(() => bool),
      ([value], frame) => compared(value!, frame).every((item, i, all) => i === 0 || compare(all[i - 1]!, item) <= 0),
    )
    .member(
      "min",
      [anyList],
      ifOrdered((item) => item),
      ([value], frame) => extreme(compared(value!, frame), -1, "min"),
    )
    .member(
      "max",
      [anyList],
      ifOrdered((item) => item),
      ([value], frame) => extreme(compared(value!, frame), 1, "max"),
    )
    .member(
      "sort",
      [anyList],
      ifOrdered((item) => list(item)),
      ([value], frame) => compared(value!, frame).toSorted(compare),
    )
    .member(
      "reverse",
      [anyList],
      ([type]) => type!,
      ([value], frame) => items(value!, frame).toReversed(),
    )
    .member(
      "distinct",
      [anyList],
      ([type]) => type!,
      ([value], frame) => distinct(items(value!, frame), frame),
    )
    .member(
      "slice",
      [anyList, int, int],
      ([type]) => type!,
      ([value, start, end], frame) => {
        const all = items(value!, frame);
        const [from, to] = [Number(start), Number(end)];
        if (from < 0 || to > all.length || from > to)
          fail(`cannot slice(${from}, ${to}), list is length ${all.length}`);
        return all.slice(from, to);
      },
    );
  for (const item of [int, uint, double, duration])
    library.member("sum", [list(item)], item, ([value], frame) => sum(items(value!, frame), item));
  const member = ([type, item]: readonly Type[]): Type | undefined => (agree(itemOf(type!), item!) ? int : undefined);
  library
    .member("indexOf", [anyList, dyn], member, ([value, item], frame) =>
      BigInt(items(value!, frame).findIndex((other) => equals(other, item!, frame))),
    )
    .member("lastIndexOf", [anyList, dyn], member, ([value, item], frame) =>
      BigInt(items(value!, frame).findLastIndex((other) => equals(other, item!, frame))),
    );
  sets(library, items);
  optionals(library);
  return library.build();
}

function sets(library: LibraryBuilder, items: (value: Value, frame: Frame) => readonly Value[]): void {
  const same = ([a, b]: readonly Type[]): Type | undefined => (agree(a!, b!) ? bool : undefined);
  const within = (a: readonly Value[], b: readonly Value[], frame: Frame): boolean => {
    charge(frame, a.length * b.length);
    return b.every((item) => a.some((other) => equals(item, other, frame)));
  };
  library
    .function("sets.contains", [anyList, anyList], same, ([a, b], frame) =>
      within(items(a!, frame), items(b!, frame), frame),
    )
    .function("sets.equivalent", [anyList, anyList], same, ([a, b], frame) => {
      const [left, right] = [items(a!, frame), items(b!, frame)];
      return within(left, right, frame) && within(right, left, frame);
    })
    .function("sets.intersects", [anyList, anyList], same, ([a, b], frame) => {
      const [left, right] = [items(a!, frame), items(b!, frame)];
      charge(frame, left.length * right.length);
      return left.some((item) => right.some((other) => equals(item, other, frame)));
    });
}

function optionals(library: LibraryBuilder): void {
  const inner = (type: Type): Type => (type.kind === "optional" ? type.of : dyn);
  library
    .function("optional.none", [], optional(dyn), () => none)
    .function(
      "optional.of",
      [dyn],
      ([type]) => optional(type!),
      ([value]) => new OptionalValue(value),
    )
    .function(
      "optional.ofNonZeroValue",
      [dyn],
      ([type]) => optional(type!),
      ([value]) => (isZero(value!) ? none : new OptionalValue(value)),
    )
    .member("hasValue", [optional(dyn)], bool, ([value]) => (value as OptionalValue).value !== undefined)
    .member(
      "value",
      [optional(dyn)],
      ([type]) => inner(type!),
      ([value]) => {
        const { value: held } = value as OptionalValue;
        return held === undefined ? fail("optional.none() dereference") : held;
      },
    )
    .member(
      "or",
      [optional(dyn), optional(dyn)],
      ([type]) => type!,
      ([value, other]) => ((value as OptionalValue).value === undefined ? other! : value!),
    )
    .member(
      "orValue",
      [optional(dyn), dyn],
      ([type, other]) =>
        agree(inner(type!), other!) ? (inner(type!).kind === "dyn" ? other! : inner(type!)) : undefined,
      ([value, other]) => (value as OptionalValue).value ?? other!,
    );
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map ? value.size === 0 : false;
}

function compare(a: Value, b: Value): number {
  return order(a, b) ?? fail("no such overload");
}

function extreme(items: readonly Value[], direction: number, name: string): Value {
  const [first, ...rest] = items;
  if (first === undefined) return fail(`${name} called on empty list`);
  let best = first;
  for (const item of rest) if (compare(item, best) * direction > 0) best = item;
  return best;
}

function distinct(items: readonly Value[], frame: Frame): Value[] {
  const kept: Value[] = [];
  for (const item of items) {
    charge(frame, kept.length);
    if (!kept.some((other) => equals(other, item, frame))) kept.push(item);
  }
  return kept;
}

function sum(items: readonly Value[], { kind }: Type): Value {
  if (kind === "double") return items.reduce<number>((total, item) => total + Number(item), 0);
  if (kind === "duration") return durationOf(items.reduce<bigint>((total, item) => total + nanos(item), 0n));
  if (kind === "uint") return uintOf(items.reduce<bigint>((total, item) => total + unsigned(item), 0n));
  return checkedInt(items.reduce<bigint>((total, item) => total + (item as bigint), 0n));
}

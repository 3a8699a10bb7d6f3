import { equals, order } from "../comparison.ts";
import { charge, sizeCost } from "../frame.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { durationOf, timestampOf } from "../time-value.ts";
import {
  agree,
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  join,
  list,
  map,
  string,
  timestamp,
  type Type,
  uint,
} from "../type.ts";
import { asKey, EvaluationError, type Tagged, type Value } from "../value.ts";

/** `+`, `<`, `in` and the other operators, under the names that cel-go prints in its errors. */
export function operators(): Library {
  const library = new LibraryBuilder();
  const same = ([a, b]: readonly Type[]): Type | undefined => (agree(a!, b!) ? bool : undefined);
  library
    .function("_==_", [dyn, dyn], same, ([a, b], frame) => equals(a!, b!, frame))
    .function("_!=_", [dyn, dyn], same, ([a, b], frame) => !equals(a!, b!, frame))
    .function("!_", [bool], bool, ([a]) => !(a as boolean))
    .function("-_", [int], int, ([a]) => checkedInt(-(a as bigint)))
    .function("-_", [double], double, ([a]) => -(a as number))
    .function("-_", [duration], duration, ([a]) => durationOf(-nanos(a!)))
    .function(
      "@in",
      [dyn, list(dyn)],
      ([item, items]) => (items!.kind !== "list" || agree(item!, items!.item) ? bool : undefined),
      ([item, items], frame) => {
        charge(frame, sizeCost(items!));
        return (items as readonly Value[]).some((other) => equals(item!, other, frame));
      },
    )
    .function(
      "@in",
      [dyn, map(dyn, dyn)],
      ([item, items]) => (items!.kind !== "map" || agree(item!, items!.key) ? bool : undefined),
      ([item, items]) => (items as ReadonlyMap<Value, Value>).has(asKey(item!)),
    );

  const comparable = [bool, int, uint, double, string, bytes, timestamp, duration];
  const numbers: Type[] = [int, uint, double];
  for (const [name, holds] of [
    ["_<_", (sign: number) => sign < 0],
    ["_<=_", (sign: number) => sign <= 0],
    ["_>_", (sign: number) => sign > 0],
    ["_>=_", (sign: number) => sign >= 0],
  ] as const)
    for (const left of comparable)
      for (const right of numbers.includes(left) ? numbers : [left])
        library.function(name, [left, right], bool, ([a, b], frame) => {
          charge(frame, sizeCost(a!));
          // NaN has no order: every comparison with it is false.
          const sign = order(a!, b!);
          return sign !== undefined && holds(sign);
        });

  arithmetic(library);
  concatenation(library);
  return library.build();
}

function arithmetic(library: LibraryBuilder): void {
  for (const [name, exact, inexact] of [
    ["_+_", (a: bigint, b: bigint) => a + b, (a: number, b: number) => a + b],
    ["_-_", (a: bigint, b: bigint) => a - b, (a: number, b: number) => a - b],
    ["_*_", (a: bigint, b: bigint) => a * b, (a: number, b: number) => a * b],
    ["_/_", divide, (a: number, b: number) => a / b],
  ] as const)
    library
      .function(name, [int, int], int, ([a, b]) => checkedInt(exact(a as bigint, b as bigint)))
      .function(name, [uint, uint], uint, ([a, b]) => uintOf(exact(unsigned(a!), unsigned(b!))))
      .function(name, [double, double], double, ([a, b]) => inexact(a as number, b as number));
  library
    .function("_%_", [int, int], int, ([a, b]) => modulo(a as bigint, b as bigint))
    .function("_%_", [uint, uint], uint, ([a, b]) => uintOf(modulo(unsigned(a!), unsigned(b!))))
    .function("_+_", [timestamp, duration], timestamp, ([a, b]) => timestampOf(nanos(a!) + nanos(b!)))
    .function("_+_", [duration, timestamp], timestamp, ([a, b]) => timestampOf(nanos(a!) + nanos(b!)))
    .function("_+_", [duration, duration], duration, ([a, b]) => durationOf(nanos(a!) + nanos(b!)))
    .function("_-_", [timestamp, timestamp], duration, ([a, b]) => durationOf(nanos(a!) - nanos(b!)))
    .function("_-_", [timestamp, duration], timestamp, ([a, b]) => timestampOf(nanos(a!) - nanos(b!)))
    .function("_-_", [duration, duration], duration, ([a, b]) => durationOf(nanos(a!) - nanos(b!)));
}

/** Costs as much as the result is long: an expression that doubles a text forty times must not exhaust memory. */
function concatenation(library: LibraryBuilder): void {
  library
    .function("_+_", [string, string], string, ([a, b], frame) => {
      charge(frame, sizeCost(a!) + sizeCost(b!));
      return (a as string) + (b as string);
    })
    .function("_+_", [bytes, bytes], bytes, ([a, b], frame) => {
      charge(frame, sizeCost(a!) + sizeCost(b!));
      return Uint8Array.from([...(a as Uint8Array), ...(b as Uint8Array)]);
    })
    .function(
      "_+_",
      [list(dyn), list(dyn)],
      ([a, b]) => (agree(a!, b!) ? join(a!, b!) : undefined),
      ([a, b], frame) => {
        charge(frame, sizeCost(a!) + sizeCost(b!));
        return (a as readonly Value[]).concat(b as readonly Value[]);
      },
    );
}

function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError("division by zero");
  return a / b;
}

function modulo(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError("modulus by zero");
  return a % b;
}

export function checkedInt(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new EvaluationError("integer overflow");
  return value;
}

export function uintOf(value: bigint): Tagged {
  if (BigInt.asUintN(64, value) !== value) throw new EvaluationError("unsigned integer overflow");
  return { tag: "uint", value };
}

export const unsigned = (value: Value): bigint => (value as { value: bigint }).value;
export const nanos = (value: Value): bigint => (value as { nanos: bigint }).nanos;

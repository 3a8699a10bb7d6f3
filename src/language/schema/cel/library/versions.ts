import { fail } from "./conversions.ts";
import { charge, type Frame, sizeCost } from "../frame.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { bool, int, opaque, string } from "../type.ts";
import { OpaqueValue, type Value } from "../value.ts";

interface Version {
  /** Major, minor, patch. */
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

const versionType = opaque("kubernetes.Semver");
const syntax = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const longest = 1000;

/** `semver('1.2.3').isLessThan(semver('1.10.0'))`. */
export function versions(): Library {
  const library = new LibraryBuilder();
  const parsed = (text: Value, lenient: boolean, frame: Frame): Version | undefined => {
    charge(frame, sizeCost(text));
    return parseVersion(text as string, lenient);
  };
  for (const [params, isLenient] of [
    [[string], () => false],
    [[string, bool], (args: readonly Value[]) => args[1] as boolean],
  ] as const)
    library
      .function("semver", [...params], versionType, (args, frame) =>
        valueOf(parsed(args[0]!, isLenient(args), frame) ?? fail(faultOf(args[0] as string))),
      )
      .function("isSemver", [...params], bool, (args, frame) => parsed(args[0]!, isLenient(args), frame) !== undefined);
  for (const [position, name] of ["major", "minor", "patch"].entries())
    library.member(name, [versionType], int, ([value]) => versionIn(value!).numbers[position] ?? 0n);
  const comparison = (a: Value, b: Value): number => compare(versionIn(a), versionIn(b));
  library
    .member("isLessThan", [versionType, versionType], bool, ([a, b]) => comparison(a!, b!) < 0)
    .member("isGreaterThan", [versionType, versionType], bool, ([a, b]) => comparison(a!, b!) > 0)
    .member("compareTo", [versionType, versionType], int, ([a, b]) => BigInt(comparison(a!, b!)));
  return library.build();
}

const versionIn = (value: Value): Version => (value as OpaqueValue).held as Version;

/** As semver specifies, build metadata does not count when versions are compared. */
function valueOf(version: Version): Value {
  const identity = `${version.numbers.join(".")}-${version.prerelease.join(".")}`;
  return new OpaqueValue(versionType.name, version, identity);
}

function parseVersion(text: string, lenient: boolean): Version | undefined {
  if (text.length > longest) return undefined;
  const whole = lenient ? normalized(text) : text;
  const match = whole === undefined ? null : syntax.exec(whole);
  if (!match) return undefined;
  const [, major = "", minor = "", patch = "", suffix] = match;
  const prerelease = suffix?.split(".") ?? [];
  const numeric = [major, minor, patch, ...prerelease.filter((part) => /^\d+$/.test(part))];
  if (numeric.some((part) => part.length > 1 && part.startsWith("0"))) return undefined;
  const numbers = [major, minor, patch].map(BigInt);
  return numbers.some((number) => BigInt.asUintN(64, number) !== number) ? undefined : { numbers, prerelease };
}

function faultOf(text: string): string {
  if (text === "") return "Version string empty";
  return text.split(".").length < 3 ? "No Major.Minor.Patch elements found" : `invalid version ${JSON.stringify(text)}`;
}

/** `v1.02` is 1.2.0. A version with fewer than three numbers must not have a suffix. */
function normalized(text: string): string | undefined {
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join(".")] : [])];
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return undefined;
  const trimmed = parts.map((part) => part.replace(/^0+(?=\d)/, ""));
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
}

function compare(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries())
    if (number !== b.numbers[i]) return number < (b.numbers[i] ?? 0n) ? -1 : 1;
  // A prerelease is older than its release.
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(Number(a.prerelease.length === 0) - Number(b.prerelease.length === 0));
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    if (part !== other) return comparePart(part, other);
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

/** As semver specifies, numeric identifiers come before alphanumeric ones. */
function comparePart(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left !== right) return left ? -1 : 1;
  if (left) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

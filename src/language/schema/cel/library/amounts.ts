import {
  addQuantities,
  approximately,
  compareQuantities,
  integerOf,
  isQuantity,
  negateQuantity,
  parseQuantity,
  type Quantity,
} from "../../../object/quantity.ts";
import { type Cidr, contains, formatIp, type Ip, masked, parseCidr, parseIp } from "../../ip.ts";
import { fail } from "./conversions.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { bool, cidr, double, int, ip, quantity, string } from "../type.ts";
import type { Value } from "../value.ts";

/** Kubernetes' own types: quantities, addresses and networks. */
export function amounts(): Library {
  const library = new LibraryBuilder();
  quantities(library);
  addresses(library);
  return library.build();
}

const amount = (value: Value): Quantity => (value as { quantity: Quantity }).quantity;
const address = (value: Value): Ip => (value as { ip: Ip }).ip;
const network = (value: Value): Cidr => (value as { cidr: Cidr }).cidr;

/** Only for the error message; `isQuantity` does not use it. */
const quantityPattern = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";

function quantities(library: LibraryBuilder): void {
  const parsed = (text: string): Quantity =>
    isQuantity(text) ? parseQuantity(text) : fail(`quantities must match the regular expression '${quantityPattern}'`);
  library
    .function("quantity", [string], quantity, ([text]) => ({ tag: "quantity", quantity: parsed(text as string) }))
    .function("isQuantity", [string], bool, ([text]) => isQuantity(text as string))
    .member("isInteger", [quantity], bool, ([value]) => integerOf(amount(value!)) !== undefined)
    .member(
      "asInteger",
      [quantity],
      int,
      ([value]) => integerOf(amount(value!)) ?? fail("cannot convert value to integer"),
    )
    .member("asApproximateFloat", [quantity], double, ([value]) => approximately(amount(value!)))
    .member("isLessThan", [quantity, quantity], bool, ([a, b]) => compareQuantities(amount(a!), amount(b!)) < 0)
    .member("isGreaterThan", [quantity, quantity], bool, ([a, b]) => compareQuantities(amount(a!), amount(b!)) > 0)
    .member("compareTo", [quantity, quantity], int, ([a, b]) => BigInt(compareQuantities(amount(a!), amount(b!))));
  const sum = (a: Quantity, b: Quantity): Value => ({ tag: "quantity", quantity: addQuantities(a, b) });
  const whole = (value: Value): Quantity => ({ mantissa: value as bigint, exponent: 0, format: "decimal" });
  library
    .member("add", [quantity, quantity], quantity, ([a, b]) => sum(amount(a!), amount(b!)))
    .member("add", [quantity, int], quantity, ([a, b]) => sum(amount(a!), whole(b!)))
    .member("sub", [quantity, quantity], quantity, ([a, b]) => sum(amount(a!), negateQuantity(amount(b!))))
    .member("sub", [quantity, int], quantity, ([a, b]) => sum(amount(a!), negateQuantity(whole(b!))));
}

function addresses(library: LibraryBuilder): void {
  // Stricter than the formats of a schema: no leading zeros, no IPv4-mapped IPv6 addresses.
  const strict = (text: string): Ip | undefined =>
    /(?:^|\.)0\d/.test(text) || (text.includes(":") && text.includes(".")) ? undefined : parseIp(text);
  const parsedIp = (text: Value): Ip =>
    strict(text as string) ??
    fail(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  const parsedCidr = (text: Value): Cidr =>
    parseCidr(text as string) ?? fail(`network address parse error during conversion from string: ${text as string}`);
  const property = (name: string, holds: (address: Ip) => boolean) =>
    library.member(name, [ip], bool, ([value]) => holds(address(value!)));
  const inNetwork = (v4: string, v6: string) => (candidate: Ip) =>
    [v4, v6].some((text) => {
      const range = parseCidr(text);
      return range !== undefined && contains(range, candidate);
    });
  library
    .function("ip", [string], ip, ([text]) => ({ tag: "ip", ip: parsedIp(text!) }))
    .function("isIP", [string], bool, ([text]) => strict(text as string) !== undefined)
    .function("ip.isCanonical", [string], bool, ([text]) => formatIp(parsedIp(text!)) === text)
    .member("family", [ip], int, ([value]) => BigInt(address(value!).version))
    .function("cidr", [string], cidr, ([text]) => ({ tag: "cidr", cidr: parsedCidr(text!) }))
    .function("isCIDR", [string], bool, ([text]) => parseCidr(text as string) !== undefined)
    .member("ip", [cidr], ip, ([value]) => ({ tag: "ip", ip: network(value!).ip }))
    .member("masked", [cidr], cidr, ([value]) => ({ tag: "cidr", cidr: masked(network(value!)) }))
    .member("prefixLength", [cidr], int, ([value]) => BigInt(network(value!).prefix))
    .member("containsIP", [cidr, ip], bool, ([value, other]) => contains(network(value!), address(other!)))
    .member("containsIP", [cidr, string], bool, ([value, other]) => contains(network(value!), parsedIp(other!)))
    .member("containsCIDR", [cidr, cidr], bool, ([value, other]) => holds(network(value!), network(other!)))
    .member("containsCIDR", [cidr, string], bool, ([value, other]) => holds(network(value!), parsedCidr(other!)));
  property("isUnspecified", (candidate) => candidate.bits === 0n);
  property("isLoopback", inNetwork("127.0.0.0/8", "::1/128"));
  property("isLinkLocalUnicast", inNetwork("169.254.0.0/16", "fe80::/10"));
  property("isLinkLocalMulticast", inNetwork("224.0.0.0/24", "ff02::/16"));
  property(
    "isGlobalUnicast",
    (candidate) =>
      !inNetwork("127.0.0.0/8", "::1/128")(candidate) &&
      !inNetwork("169.254.0.0/16", "fe80::/10")(candidate) &&
      !inNetwork("224.0.0.0/4", "ff00::/8")(candidate) &&
      candidate.bits !== 0n,
  );
}

function holds(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && contains(outer, inner.ip);
}

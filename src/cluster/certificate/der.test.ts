import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bitString, boolean, explicit, objectIdentifier, octetString, sequence, time, unsignedInteger } from "./der.ts";

const hex = (bytes: Buffer): string => bytes.toString("hex");

test.each([
  ["a number below 128", unsignedInteger(Buffer.from([0x7f])), "02017f"],
  ["a number whose top bit is set", unsignedInteger(Buffer.from([0x80])), "02020080"],
  ["a number with leading zeros", unsignedInteger(Buffer.from([0, 0, 1])), "020101"],
  ["zero", unsignedInteger(Buffer.from([0])), "020100"],
  ["no digits", unsignedInteger(Buffer.alloc(0)), "020100"],
  ["true", boolean(true), "0101ff"],
  ["an empty sequence", sequence(), "3000"],
  ["unused bits", bitString(Buffer.from([0x80]), 7), "03020780"],
  ["an explicit tag", explicit(3, sequence()), "a3023000"],
  ["ecdsa-with-SHA256", objectIdentifier("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
  ["a common name's type", objectIdentifier("2.5.4.3"), "0603550403"],
  [
    "the last second with a two-digit year",
    time(Date.UTC(2049, 11, 31, 23, 59, 59)),
    hex(Buffer.from("\x17\x0d491231235959Z")),
  ],
  ["the first with four digits", time(Date.UTC(2050, 0, 1)), hex(Buffer.from("\x18\x0f20500101000000Z"))],
])("writes %s", (_what, encoded, expected) => {
  expect(hex(encoded)).toBe(expected);
});

test("writes a length in as few bytes as it needs", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 70_000 }), (length) => {
      const encoded = octetString(Buffer.alloc(length));
      const lengthBytes = length < 0x80 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : 4;
      expect(encoded.length).toBe(1 + lengthBytes + length);
      const read = length < 0x80 ? encoded[1] : encoded.readUIntBE(2, lengthBytes - 1);
      expect(read).toBe(length);
    }),
  );
});

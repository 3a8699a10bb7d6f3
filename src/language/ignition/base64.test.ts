import { expect, it, test } from "vitest";
import { Base64Decoder } from "./base64.ts";

const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => (i * 151 + length) % 256));

it("decodes bytes of every length, with padding and without, several from one decoder", () => {
  const decoder = new Base64Decoder();
  const lengths = [...Array.from({ length: 70 }, (_, i) => i), 4095, 4096, 16_383, 16_384, 16_385, 70_000, 1, 2, 3];
  const decoded = lengths.map((length) => decoder.decode(bytesOf(length).toString("base64")));
  const unpadded = lengths.map((length) => decoder.decode(bytesOf(length).toString("base64").replaceAll("=", "")));
  // Compared only now: later texts must not write into earlier bytes.
  lengths.forEach((length, at) => {
    expect(Buffer.from(decoded[at]!).equals(bytesOf(length)), `${length} bytes`).toBe(true);
    expect(Buffer.from(unpadded[at]!).equals(bytesOf(length)), `${length} bytes without padding`).toBe(true);
  });
});

test.each(["A", "AB=", "ABC==", "AB=C", "ABCDE", "AB$D", "AB-_", "ABCé", "ÿÿÿÿ", "AB C", "=", "A===", "\u0000AAA"])(
  "refuses %j",
  (text) => {
    expect(new Base64Decoder().decode(text)).toBeUndefined();
  },
);

it("decodes a short text after a long one", () => {
  const decoder = new Base64Decoder();
  decoder.decode("////////");
  expect(decoder.decode("AA")).toEqual(new Uint8Array([0]));
  expect(decoder.decode("AAA\r\nA")).toEqual(new Uint8Array([0, 0, 0]));
});

import { deflateRawSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Base64Decoder } from "./base64.ts";
import { dataOf } from "./data-url.ts";
import { gunzip } from "./gunzip.ts";

const limit = 1024 * 1024;
const problem = (bytes: Uint8Array): string => {
  const read = gunzip(bytes, limit);
  return read.type === "problem" ? read.problem : `${read.bytes.length} bytes`;
};

describe("gzip", () => {
  test("gives back what zlib has compressed, at every level and strategy", () => {
    const compressible = fc.array(fc.constantFrom("abc", "abcabcabc", "\0\0\0\0", "x", "é"), { maxLength: 400 });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      compressible.map((words) => new TextEncoder().encode(words.join(""))),
    );
    fc.assert(
      fc.property(bytes, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 4 }), (plain, level, strategy) => {
        const read = gunzip(gzipSync(plain, { level, strategy }), limit);
        expect(read.type === "bytes" && Buffer.from(read.bytes).equals(plain)).toBe(true);
      }),
    );
  });

  test("gives back a text that needs several blocks", () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `${i * 7919} `).join("");
    const read = gunzip(gzipSync(text), limit);
    expect(read.type === "bytes" && new TextDecoder().decode(read.bytes) === text).toBe(true);
  });

  test("may have a name, a comment, further fields and several members", () => {
    const [plain, body] = [Buffer.from("one"), deflateRawSync("one")];
    const header = Buffer.from([0x1f, 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 3]);
    const fields = Buffer.from("\x02\x00xxname\0comment\0cc", "latin1");
    const trailer = gzipSync(plain).subarray(-8);
    const whole = Buffer.concat([header, fields, body, trailer, gzipSync(" two")]);
    const read = gunzip(whole, limit);
    expect(read.type === "bytes" && new TextDecoder().decode(read.bytes)).toBe("one two");
  });

  test("never throws, whatever is damaged", () => {
    const good = gzipSync(Buffer.from("some text that is long enough to be compressed, compressed, compressed"));
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(good.length), (at, change, end) => {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] ?? 0) ^ change;
        expect(["bytes", "problem"]).toContain(gunzip(bad.subarray(0, end), limit).type);
      }),
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void gunzip(bytes, limit)));
  });

  test.each<[string, Uint8Array, string]>([
    ["nothing", new Uint8Array(), "is not compressed with gzip"],
    ["a text", Buffer.from("hello world"), "is not compressed with gzip"],
    ["the first half", gzipSync("hello").subarray(0, 12), "ends too early"],
    ["no checksum", gzipSync("hello").subarray(0, -8), "ends too early"],
    ["bytes after the end", Buffer.concat([gzipSync("a"), Buffer.from("b")]), "is not compressed with gzip"],
    [
      "a wrong checksum",
      Buffer.concat([gzipSync("a").subarray(0, -8), Buffer.alloc(8)]),
      "does not match its checksum",
    ],
    ["more than is allowed", gzipSync(Buffer.alloc(limit + 1)), `has more than ${limit} bytes when decompressed`],
  ])("is refused: %s", (_, bytes, message) => {
    expect(problem(bytes)).toBe(message);
  });

  test("a bomb, a thousandth of its contents, ends at the limit, and so do many members together", () => {
    const bomb = gzipSync(Buffer.alloc(20 * limit));
    expect(bomb.length).toBeLessThan(25_000);
    expect(problem(bomb)).toBe(`has more than ${limit} bytes when decompressed`);
    const [member, empty] = [gzipSync(Buffer.alloc(1000)), gzipSync("")];
    const members = Buffer.concat(Array.from({ length: 2000 }, () => member));
    expect(problem(members)).toMatch(/^has more than \d+ bytes when decompressed$/);
    expect(problem(Buffer.concat(Array.from({ length: 50_000 }, () => empty)))).toBe("0 bytes");
  });
});

describe("base64", () => {
  const base64 = new Base64Decoder();

  test("gives back any bytes, with and without padding and line breaks", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, at) => {
        const text = Buffer.from(bytes).toString("base64");
        for (const spelling of [text, text.replace(/=+$/, ""), `${text.slice(0, at)}\r\n${text.slice(at)}`])
          expect(Buffer.from(base64.decode(spelling) ?? []).equals(bytes)).toBe(true);
      }),
    );
  });

  test("longer than its buffer", () => {
    const bytes = Buffer.alloc(100_000, "0123456789");
    expect(Buffer.from(base64.decode(bytes.toString("base64")) ?? []).equals(bytes)).toBe(true);
  });

  test.each(["a", "aGk===", "=", "aG=k", "aG k", "aGk-", "aé==", "aGkaG=", "😀😀"])("is not %s", (text) => {
    expect(base64.decode(text)).toBeUndefined();
  });

  test("in a data URL stands for bytes, as percent signs do", () => {
    expect(dataOf("data:,%00%fF%41é", base64)).toEqual(new Uint8Array([0, 255, 65, 0xc3, 0xa9]));
    expect(dataOf("data:;base64,AP8=", base64)).toEqual(new Uint8Array([0, 255]));
    expect(dataOf("data:,%4", base64)).toBeUndefined();
    expect(dataOf("data:,%zz", base64)).toBeUndefined();
    expect(dataOf("data:;base64", base64)).toBeUndefined();
  });
});

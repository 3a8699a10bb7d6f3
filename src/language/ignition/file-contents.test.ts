import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentsOf, textFile } from "./file-contents.ts";

const at = (source: string | null | undefined, compression?: string) =>
  contentsOf({ path: "/a", contents: { source, compression } });

describe("a file", () => {
  test("carries its text", () => {
    expect(textFile("/etc/motd", 0o644, "héllo\n")).toEqual({
      path: "/etc/motd",
      mode: 420,
      contents: { source: "data:text/plain;charset=utf-8;base64,aMOpbGxvCg==" },
    });
  });

  test("gives back any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\0", "\uFEFF", "%") }), (text) => {
        expect(contentsOf(textFile("/a", 0, text))).toBe(text);
      }),
    );
  });

  test("gives back a large text", () => {
    const text = "0123456789abcdef".repeat(100_000);
    expect(contentsOf(textFile("/a", 0, text))).toBe(text);
  });

  test.each<[string, string | undefined | null, string]>([
    ["base64", "data:;base64,YQo=", "a\n"],
    ["base64 in capitals", "DATA:text/plain;BASE64,YQo=", "a\n"],
    ["base64 without padding", "data:;base64,YQo", "a\n"],
    ["plain text", "data:,a%20b%0A", "a b\n"],
    ["plain text with a type", "data:text/plain;charset=utf-8,%C3%A9+é", "é+é"],
    ["commas", "data:,a,b", "a,b"],
    ["a byte order mark", "data:;base64,77u/YQ==", "\uFEFFa"],
    ["nothing", "data:,", ""],
    ["no source", undefined, ""],
    ["a source that is null", null, ""],
    ["an empty source", "", ""],
  ])("is read from %s", (_, source, text) => {
    expect(at(source)).toBe(text);
  });

  test("without contents is empty", () => {
    expect(contentsOf({ path: "/a" })).toBe("");
  });

  test.each([
    ["elsewhere", "https://example.com/a"],
    ["a URL without data", "data:text/plain"],
    ["no base64", "data:;base64,***"],
    ["bytes that are no text", "data:;base64,/w=="],
    ["percent signs that mean nothing", "data:,100%"],
    ["percent signs that are no text", "data:,%FF"],
  ])("cannot be read from %s", (_, source) => {
    expect(at(source)).toBeUndefined();
  });

  test("is decompressed", () => {
    expect(at("data:;base64,H4sIAAAAAAAC/8vPSwUA8YZsegMAAAA=", "gzip")).toBe("one");
    expect(at("data:,a", "gzip")).toBeUndefined();
  });
});

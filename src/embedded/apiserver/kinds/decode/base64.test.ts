import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Size, canonicalBase64 } from "./base64.ts";

describe("canonicalBase64", () => {
  it("returns canonical text unchanged, and its size", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(canonicalBase64(text)).toEqual({ type: "text", text });
        expect(base64Size(text)).toBe(bytes.length);
      }),
    );
  });

  it.each([
    ["YWJj\nZGVm\r\n", "YWJjZGVm"],
    ["YR==", "YQ=="],
    ["YW=\n=", "YQ=="],
  ])("reads %j as %s", (text, expected) => {
    expect(canonicalBase64(text)).toEqual({ type: "text", text: expected });
  });

  it.each([
    ["%%", 0],
    ["YWJjZ", 4],
    ["YWJj=", 4],
    ["Y=Jj", 1],
    ["YW=j", 2],
    ["YW=", 3],
    ["YW==YW==", 4],
    ["YWJj YWJj", 4],
  ])("stops in %j at byte %i", (text, at) => {
    expect(canonicalBase64(text)).toEqual({ type: "bad", at });
  });
});

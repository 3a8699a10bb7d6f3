import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonLines } from "./json-lines.ts";

async function read(chunks: Buffer[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of jsonLines(from(chunks))) values.push(value);
  return values;
}

async function* from(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

test("the values do not depend on how the chunks are cut", async () => {
  const values = fc.array(fc.record({ type: fc.string(), text: fc.string({ unit: "grapheme", maxLength: 20 }) }), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(values, fc.array(fc.nat(400), { maxLength: 12 }), async (values, cuts) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
      expect(await read(chunks)).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});

test("a line of several megabytes in small chunks arrives whole", async () => {
  const text = "ü€😀".repeat(600_000);
  const bytes = Buffer.from(`${JSON.stringify({ text })}\n`);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 4099) chunks.push(bytes.subarray(at, at + 4099));
  expect(await read(chunks)).toEqual([{ text }]);
});

test("empty lines and carriage returns are skipped, and the last line needs no end", async () => {
  expect(await read([Buffer.from('\n\r\n{"a":1}\r\n\n2')])).toEqual([{ a: 1 }, 2]);
});

describe("malformed input is an error", () => {
  test.each([
    ["a stream cut inside a value", '{"a":1}\n{"b":'],
    ["something else than JSON", "{}\n<html>\n{}\n"],
  ])("%s, after what came before it was given", async (_, text) => {
    const seen: unknown[] = [];
    await expect(async () => {
      for await (const value of jsonLines(from([Buffer.from(text)]))) seen.push(value);
    }).rejects.toThrow("cut off or malformed");
    expect(seen).toHaveLength(1);
  });
});

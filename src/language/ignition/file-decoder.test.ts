import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FileDecoder } from "./file-decoder.ts";

const limit = 1024 * 1024;
const compressed = (bytes: Uint8Array): { source: string; compression: string } => ({
  source: `data:;base64,${gzipSync(bytes).toString("base64")}`,
  compression: "gzip",
});

test("of many bombs only the first are decompressed, each as far as its limit", () => {
  const decoder = new FileDecoder(limit);
  const bombs = Array.from({ length: 20 }, () => decoder.decode(compressed(Buffer.alloc(20 * limit))));
  const problems = bombs.map((one) => (one.type === "problem" ? one.problem : ""));
  const [large, unread] = [
    `its data has more than ${limit} bytes when decompressed`,
    "was not decompressed: too much else was",
  ];
  expect(problems).toEqual([large, large, ...Array.from({ length: 18 }, () => unread)]);
  expect(decoder.decode({ source: "data:,x" })).toMatchObject({ type: "bytes" });
});

test("files that are no gzip do not keep others from being read", () => {
  const decoder = new FileDecoder(limit);
  for (let i = 0; i < 1000; i++)
    expect(decoder.decode({ source: "data:,x", compression: "gzip" })).toMatchObject({ type: "problem" });
  expect(decoder.decode(compressed(Buffer.from("x")))).toMatchObject({ type: "bytes" });
});

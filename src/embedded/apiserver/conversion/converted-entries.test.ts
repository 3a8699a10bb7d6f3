import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Resource } from "../resource.ts";
import type { Entry } from "../storage/store.ts";
import { ConvertedEntries } from "./converted-entries.ts";

const resource = { plural: "widgets" } as Resource;
const entry = (key: string, bytes = 10): Entry => ({ key, revision: 1, bytes: Buffer.alloc(bytes), labels: undefined });
const entries = (count: number, bytes?: number): Entry[] =>
  Array.from({ length: count }, (_, i) => entry(`e${i}`, bytes));

/** Calls to the webhook, answered by the test. */
let asked: { readonly size: number; readonly answer: () => void; readonly fail: () => void }[];
let done: string[];
let converted: ConvertedEntries;

beforeEach(() => {
  asked = [];
  done = [];
  converted = new ConvertedEntries({
    read: ({ key }) => ({ metadata: { name: key } }) as KubeObject,
    convert: (objects) =>
      new Promise((resolve, reject) => {
        asked.push({
          size: objects.length,
          answer: () => resolve([...objects]),
          fail: () => reject(new Error("no")),
        });
      }),
    done: (_, __, { metadata }) => done.push(metadata.name ?? ""),
  });
});

describe("entries that a webhook converts", () => {
  it("are batched by page, with a few concurrent calls", async () => {
    const all = converted.convert(entries(2600), resource);
    expect(asked.map(({ size }) => size)).toEqual([500, 500, 500, 500]);
    for (let i = 0; i < 6; i++) {
      asked[i]?.answer();
      await Promise.resolve().then(() => Promise.resolve());
      await new Promise(setImmediate);
    }
    await all;
    expect(asked.map(({ size }) => size)).toEqual([500, 500, 500, 500, 500, 100]);
    expect(done).toHaveLength(2600);
  });

  it("are batched by size, and an entry over the limit goes alone", () => {
    void converted.convert([...entries(3, 400_000), entry("huge", 3_000_000)], resource);
    expect(asked.map(({ size }) => size)).toEqual([2, 1, 1]);
  });

  it("are not sent twice at the same time", async () => {
    const [one, two] = [entry("one"), entry("two")];
    const waiting = [converted.convert([one], resource), converted.convert([one, two], resource)];
    expect(asked.map(({ size }) => size)).toEqual([1, 1]);
    for (const { answer } of asked) answer();
    await Promise.all(waiting);
    expect(done).toEqual(["one", "two"]);
  });

  it("fail together, and are sent again later", async () => {
    const one = entry("one");
    const waiting = [converted.convert([one], resource), converted.convert([one], resource)];
    asked[0]?.fail();
    expect(await Promise.allSettled(waiting)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    const again = converted.convert([one], resource);
    asked[1]?.answer();
    await again;
    expect(done).toEqual(["one"]);
  });

  it("are not sent after an earlier call has failed", async () => {
    const all = converted.convert(entries(2500), resource);
    asked[0]?.fail();
    await expect(all).rejects.toThrow("no");
    for (const { answer } of asked.slice(1)) answer();
    await new Promise(setImmediate);
    expect(asked).toHaveLength(4);
  });
});

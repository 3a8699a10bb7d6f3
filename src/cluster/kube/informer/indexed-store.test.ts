import fc from "fast-check";
import { expect, test } from "vitest";
import { IndexedStore } from "./indexed-store.ts";

interface Thing {
  tags: string[];
}

const indexes = { tag: (thing: Thing) => thing.tags };

test("an index follows every change and drops deleted objects", () => {
  const tags = fc.array(fc.constantFrom("a", "b", "__proto__", "constructor"), { maxLength: 3 });
  const step = fc.record({
    key: fc.constantFrom("1", "2", "3", "__proto__"),
    tags: fc.option(tags, { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const store = new IndexedStore<Thing>(indexes);
      const model = new Map<string, Thing>();
      for (const { key, tags } of steps) {
        if (tags) {
          model.set(key, { tags });
          store.set(key, { tags });
        } else {
          model.delete(key);
          store.delete(key);
        }
        expect(store.list()).toEqual([...model.values()]);
        const used = new Set([...model.values()].flatMap((thing) => thing.tags));
        for (const tag of used)
          expect(new Set(store.byIndex("tag", tag))).toEqual(
            new Set([...model.values()].filter((one) => one.tags.includes(tag))),
          );
        expect(store.indexedValues).toBe(used.size);
      }
    }),
  );
});

test("a lookup in an index that does not exist throws", () => {
  expect(() => new IndexedStore<Thing>(indexes).byIndex("colour", "red")).toThrow('there is no index "colour"');
});

test("a returned list does not change", () => {
  const store = new IndexedStore<Thing>(indexes);
  store.set("1", { tags: [] });
  const before = store.list();
  store.set("2", { tags: [] });
  expect(before).toHaveLength(1);
  expect(store.list()).toHaveLength(2);
});

import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LmdbBackend } from "./lmdb-backend.ts";
import { DamagedStorageError } from "./lmdb-file.ts";
import { type Backend, type Change, type Entry, MemoryBackend, type Row } from "./store.ts";
import { ObjectStore, StaleWriteError, type Draft } from "./object-store.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "attune-store-"));
  folders.push(path);
  return path;
}

const text =
  (content: string, labels?: Record<string, string>) =>
  (revision: number): Draft => ({
    bytes: Buffer.from(JSON.stringify({ content, revision })),
    labels,
  });
const contentOf = (entry: Entry | undefined): string | undefined =>
  entry && (JSON.parse(entry.bytes.toString()) as { content: string }).content;
const keys = (entries: Iterable<Entry>): string[] => Array.from(entries, ({ key }) => key);
const entriesOf = (snapshot: ReturnType<ObjectStore["listAt"]>): Entry[] =>
  snapshot.type === "entries" ? [...snapshot.entries] : expect.fail("the revision is forgotten");

/** The same behaviour for every backend. */
const backends: Record<string, () => Backend> = {
  memory: () => new MemoryBackend(),
  lmdb: () => new LmdbBackend(join(folder(), "objects")),
  "lmdb with fsync": () => new LmdbBackend(join(folder(), "objects"), { fsync: true }),
};

describe.each(Object.entries(backends))("a store in %s", (_, backend) => {
  const open = (): ObjectStore => new ObjectStore(backend());

  it("numbers writes from one, across collections", async () => {
    const store = open();
    const changes = await Promise.all([
      store.put("pods", "a/x", undefined, text("1")),
      store.put("nodes", "n", undefined, text("2")),
      store.put("pods", "a/y", undefined, text("3")),
    ]);
    expect(changes.map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(store.revision).toBe(3);
    expect(JSON.parse(String(store.get("pods", "a/y")?.bytes))).toEqual({ content: "3", revision: 3 });
    await store.close();
  });

  it("lists in the byte order of keys, below a prefix, after a key", async () => {
    const store = open();
    await Promise.all(["b/2", "a/9", "a-b/1", "b/1", "a/1"].map((key) => store.put("pods", key, undefined, text(key))));
    expect(keys(store.list("pods"))).toEqual(["a-b/1", "a/1", "a/9", "b/1", "b/2"]);
    expect(keys(store.list("pods", "a/"))).toEqual(["a/1", "a/9"]);
    expect(keys(store.list("pods", "", "a/9"))).toEqual(["b/1", "b/2"]);
    expect(keys(store.list("pods", "a/", "a/1"))).toEqual(["a/9"]);
    expect(keys(store.list("none"))).toEqual([]);
    await store.close();
  });

  it("refuses a write that is not based on the newest version", async () => {
    const store = open();
    const first = (await store.put("pods", "x", undefined, text("1"))).after as Entry;
    await store.put("pods", "x", first, text("2"));
    expect(() => store.put("pods", "x", first, text("3"))).toThrow(StaleWriteError);
    expect(() => store.put("pods", "x", undefined, text("3"))).toThrow(StaleWriteError);
    expect(() => store.remove("pods", "x", first, text("gone"))).toThrow(StaleWriteError);
    expect(contentOf(store.get("pods", "x"))).toBe("2");
    await store.close();
  });

  it("accepts a second write on an uncommitted one, and refuses a third on the old version", async () => {
    const store = open();
    const first = store.put("pods", "x", undefined, text("1"));
    const head = store.head("pods", "x");
    expect(contentOf(head)).toBe("1");
    const second = store.put("pods", "x", head, text("2"));
    expect(() => store.put("pods", "x", head, text("3"))).toThrow(StaleWriteError);
    await Promise.all([first, second]);
    expect(contentOf(store.get("pods", "x"))).toBe("2");
    await store.close();
  });

  it("notifies watchers of every change of their collection, in order, before the write resolves", async () => {
    const store = open();
    const seen: Change[] = [];
    const stop = store.watch("pods", (changes) => seen.push(...changes));
    const created = await store.put("pods", "x", undefined, text("1"));
    expect(seen).toEqual([created]);
    await store.put("nodes", "n", undefined, text("other"));
    await store.remove("pods", "x", created.after as Entry, text("last"));
    expect(
      seen.map(({ revision, before, after, last }) => [revision, contentOf(before), contentOf(after), contentOf(last)]),
    ).toEqual([
      [1, undefined, "1", undefined],
      [3, "1", undefined, "last"],
    ]);
    stop();
    await store.put("pods", "y", undefined, text("unseen"));
    expect(seen).toHaveLength(2);
    await store.close();
  });

  it("shows a collection as it was at an older revision", async () => {
    const store = open();
    const a = (await store.put("pods", "a", undefined, text("a1"))).after as Entry;
    const b = (await store.put("pods", "b", undefined, text("b1"))).after as Entry;
    await store.put("pods", "a", a, text("a2"));
    await store.remove("pods", "b", b, text("b-last"));
    await store.put("pods", "c", undefined, text("c1"));
    const at = (revision: number): unknown => entriesOf(store.listAt(revision, "pods")).map(contentOf);
    expect([0, 1, 2, 3, 4, 5].map(at)).toEqual([[], ["a1"], ["a1", "b1"], ["a2", "b1"], ["a2"], ["a2", "c1"]]);
    await store.close();
  });

  it("behaves like a model of it for random writes", async () => {
    const operation = fc.record({ key: fc.constantFrom("a/1", "a/2", "b/1"), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const store = open();
        const model = new Map<string, number>();
        const states: Record<string, number>[] = [{}];
        for (const { key, remove } of operations) {
          const head = store.head("pods", key);
          if (remove && !head) continue;
          const revision = states.length;
          const done =
            remove && head ? store.remove("pods", key, head, text("")) : store.put("pods", key, head, text(key));
          if (revision % 3 === 0) await done;
          if (remove) model.delete(key);
          else model.set(key, revision);
          states.push(Object.fromEntries(model));
          if (revision === operations.length) await done;
        }
        await store.put("other", "barrier", undefined, text(""));
        states.forEach((state, revision) => {
          const found = entriesOf(store.listAt(revision, "pods")).map(({ key, revision }) => [key, revision] as const);
          expect(Object.fromEntries(found)).toEqual(state);
        });
        await store.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe("the window of history", () => {
  it("drops changes beyond its limit, and says so", async () => {
    const store = new ObjectStore(new MemoryBackend(), { history: { changes: 3 } });
    for (let i = 1; i <= 5; i++) await store.put("pods", `p${i}`, undefined, text(""));
    expect(store.changesSince("pods", 1)).toBeUndefined();
    expect(store.changesSince("pods", 2)?.map(({ key }) => key)).toEqual(["p3", "p4", "p5"]);
    expect(store.listAt(1, "pods")).toEqual({ type: "expired" });
    expect(keys(entriesOf(store.listAt(2, "pods")))).toEqual(["p1", "p2"]);
  });

  it("is bounded in bytes too", async () => {
    const store = new ObjectStore(new MemoryBackend(), { history: { bytes: 5000 } });
    for (let i = 1; i <= 50; i++) await store.put("pods", `p${i}`, undefined, text("x".repeat(1000)));
    expect(store.changesSince("pods", 40)).toBeUndefined();
    expect(store.changesSince("pods", 47)).toHaveLength(3);
  });

  it("drops thousands of changes correctly", async () => {
    const store = new ObjectStore(new MemoryBackend(), { history: { changes: 100 } });
    const writes: Promise<Change>[] = [];
    for (let i = 1; i <= 5000; i++) writes.push(store.put("pods", `p${i}`, undefined, text("")));
    await Promise.all(writes);
    expect(store.changesSince("pods", 4900)?.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 100 }, (_, i) => 4901 + i),
    );
    expect(store.changesSince("pods", 4899)).toBeUndefined();
  });
});

describe("a store that is opened again", () => {
  it("has every object and continues its revisions, even if the last write was a deletion", async () => {
    const path = join(folder(), "objects");
    const before = new ObjectStore(new LmdbBackend(path));
    await before.put("pods", "a/x", undefined, text("kept", { app: "x" }));
    const gone = await before.put("pods", "a/y", undefined, text("gone"));
    await before.remove("pods", "a/y", gone.after as Entry, text("gone"));
    await before.close();

    const after = new ObjectStore(new LmdbBackend(path));
    expect(after.revision).toBe(3);
    expect(keys(after.list("pods"))).toEqual(["a/x"]);
    expect(after.get("pods", "a/x")).toMatchObject({ revision: 1, labels: { app: "x" } });
    expect(after.changesSince("pods", 2)).toBeUndefined();
    expect(after.changesSince("pods", 3)).toEqual([]);
    expect((await after.put("pods", "a/z", undefined, text("next"))).revision).toBe(4);
    await after.close();
  });

  it.each(["system:service-account-issuer-discovery", "n".repeat(253), "r".repeat(3000), "é".repeat(900)])(
    "has an object however long its name is (%#)",
    async (name) => {
      const path = join(folder(), "objects");
      const before = new ObjectStore(new LmdbBackend(path));
      const collection = "clusterrolebindings.rbac.authorization.k8s.io";
      const { after } = await before.put(collection, name, undefined, text("kept"));
      await before.close();
      const again = new ObjectStore(new LmdbBackend(path));
      expect(again.get(collection, name)).toEqual(after);
      await again.remove(collection, name, again.get(collection, name) as Entry, text("gone"));
      await again.close();
      expect(keys(new ObjectStore(new LmdbBackend(path)).list(collection))).toEqual([]);
    },
  );

  describe("that lost a part of its file", () => {
    let path: string;
    let size: number;
    let objects: string[];
    const count = 100;
    beforeEach(async () => {
      path = join(folder(), "objects");
      const store = new ObjectStore(new LmdbBackend(path));
      for (let i = 0; i < count; i++) await store.put("pods", `p${i}`, undefined, text("x".repeat((i * 997) % 9000)));
      objects = Array.from(store.list("pods"), ({ key, bytes }) => `${key} ${String(bytes)}`);
      await store.close();
      size = statSync(join(path, "data.mdb")).size;
    });

    it("says so, or has every object, wherever it was cut off", async () => {
      let refused = 0;
      for (let cut = size - 4096; cut > 0; cut -= 5 * 4096 + 100) {
        const copy = join(folder(), "objects");
        cpSync(path, copy, { recursive: true });
        truncateSync(join(copy, "data.mdb"), cut);
        try {
          const store = new ObjectStore(new LmdbBackend(copy));
          expect(store.count("pods")).toBe(count);
          await store.put("pods", "next", store.head("pods", "next"), text("y"));
          await store.close();
        } catch (error) {
          if (!(error instanceof DamagedStorageError)) throw error;
          expect(error.message).toMatch(/^open storage .*data\.mdb is damaged: .* restore it/);
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(5);
    });

    /** Opens a copy of the storage after a change of its file, as a server would, and writes to it. */
    async function reopened(change: (file: Buffer) => void): Promise<"refused" | "sound"> {
      const copy = join(folder(), "objects");
      cpSync(path, copy, { recursive: true });
      const file = readFileSync(join(copy, "data.mdb"));
      change(file);
      writeFileSync(join(copy, "data.mdb"), file);
      try {
        const store = new ObjectStore(new LmdbBackend(copy));
        const found = Array.from(store.list("pods"), ({ key, bytes }) => `${key} ${String(bytes)}`);
        expect(found).toEqual(objects);
        await store.put("pods", "next", undefined, text("y".repeat(20_000)));
        await store.close();
        return "sound";
      } catch (error) {
        if (!(error instanceof DamagedStorageError)) throw error;
        expect(error.message).toMatch(/^open storage .*data\.mdb is damaged: .* restore it/);
        return "refused";
      }
    }

    it("says so, or has every object as it was, whichever bytes are others", async () => {
      const outcomes = new Set<string>();
      const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 2 * 4096, max: size - 1 }), bytes, async (place, others) => {
          outcomes.add(await reopened((file) => file.set(others.slice(0, file.length - place), place)));
        }),
        { numRuns: process.env.ATTUNE_LONG ? 3000 : 60, examples: [[2 * 4096 + 8, Uint8Array.from([255, 255])]] },
      );
      expect(outcomes).toContain("refused");
    });

    it("says so if a page is one of zeros, of another place or of noise, instead of ending the process", async () => {
      for (let page = 0; page < size / 4096; page += page < 2 ? 1 : 7)
        for (const fill of [
          (file: Buffer) => file.fill(0, page * 4096, (page + 1) * 4096),
          (file: Buffer) => file.copyWithin(page * 4096, 4 * 4096, 5 * 4096),
          (file: Buffer) => file.fill("\u00a5\u0001\u00ff", page * 4096, (page + 1) * 4096, "latin1"),
        ]) {
          const outcome = await reopened(fill);
          if (page < 2) expect(outcome).toBe("refused");
        }
    });

    it("says so, or has every object, whichever number in its first two pages is another", async () => {
      const outcomes = new Set<string>();
      for (const page of [0, 4096])
        for (let place = 24; place < 168; place += 2)
          for (const number of process.env.ATTUNE_LONG ? [0, 1, 0x7fff, 0xffff] : [0xffff])
            outcomes.add(await reopened((file) => file.writeUInt16LE(number, page + place)));
      expect([...outcomes].toSorted()).toEqual(["refused", "sound"]);
    });

    it.each([
      ["is empty", () => truncateSync(join(path, "data.mdb"), 0)],
      ["is gone", () => rmSync(join(path, "data.mdb"))],
      ["is gone with its folder", () => rmSync(path, { recursive: true })],
    ])("says so if it %s", (_, lose) => {
      lose();
      expect(() => new LmdbBackend(path)).toThrow("data.mdb is damaged: it is missing or empty");
    });
  });

  it("by another server takes no more writes of the first, and loses none", async () => {
    const path = join(folder(), "objects");
    const first = new ObjectStore(new LmdbBackend(path));
    await first.put("pods", "a/x", undefined, text("1"));
    const second = new ObjectStore(new LmdbBackend(path));
    await expect(first.put("pods", "a/y", undefined, text("2"))).rejects.toThrow(
      /^commit to storage failed: another server has taken over .*objects: stop one of the two$/,
    );
    await second.put("pods", "a/z", undefined, text("3"));
    await expect(first.put("pods", "a/z", undefined, text("4"))).rejects.toThrow(/another server has taken over/);
    expect(keys(second.list("pods"))).toEqual(["a/x", "a/z"]);
    await Promise.all([first.close(), second.close()]);
    const third = new ObjectStore(new LmdbBackend(path));
    expect(Array.from(third.list("pods"), contentOf)).toEqual(["1", "3"]);
    await third.close();
  });

  it("that was written without checksums has its objects, and gives them checksums", async () => {
    const path = join(folder(), "objects");
    const { open } = await import("lmdb");
    const database = open<Buffer, Buffer>({ path, encoding: "binary", keyEncoding: "binary", compression: false });
    const head = Buffer.from('{"revision":1}');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    const row = Buffer.concat([length, head, text("old")(1).bytes]);
    for (const [key, value] of Object.entries({ "\0format": "1", "\0revision": "1", "pods\0a/x": row }))
      await database.put(Buffer.from(key), Buffer.from(value));
    await database.close();
    const store = new ObjectStore(new LmdbBackend(path));
    expect(contentOf(store.get("pods", "a/x"))).toBe("old");
    await store.put("pods", "a/x", store.head("pods", "a/x"), text("new"));
    await store.close();
    const again = new ObjectStore(new LmdbBackend(path));
    expect(contentOf(again.get("pods", "a/x"))).toBe("new");
    await again.close();
  });

  it("fails on a directory with an unknown format", async () => {
    const path = join(folder(), "objects");
    const { open } = await import("lmdb");
    const database = open<Buffer, Buffer>({ path, encoding: "binary", keyEncoding: "binary", compression: false });
    await database.put(Buffer.from("\0format"), Buffer.from("99"));
    await database.close();
    expect(() => new LmdbBackend(path)).toThrow(/format 99 is not one this version reads/);
  });
});

describe("a watcher that throws", () => {
  it("affects neither the writer nor the other watchers", async () => {
    const errors: unknown[] = [];
    const store = new ObjectStore(new MemoryBackend(), { onWatcherError: (error) => errors.push(error) });
    const seen: number[] = [];
    store.watch("pods", () => {
      throw new Error("not my day");
    });
    store.watch("pods", (changes) => seen.push(...changes.map(({ revision }) => revision)));
    await store.put("pods", "x", undefined, text("1"));
    await store.put("pods", "y", undefined, text("2"));
    expect(seen).toEqual([1, 2]);
    expect(errors).toHaveLength(2);
    expect(store.failure).toBeUndefined();
  });
});

describe("a disk that fails", () => {
  it("fails the pending writes, and takes further ones as soon as it can", async () => {
    const rows: Row[] = [];
    const backend = new MemoryBackend();
    backend.load = () => ({ revision: rows.at(-1)?.revision ?? 0, rows });
    let isFull = false;
    backend.commit = async (written: readonly Row[] = []) => {
      if (isFull) throw new Error("no space left on device");
      rows.push(...written);
    };
    const store = new ObjectStore(backend);
    const seen: number[] = [];
    store.watch("pods", (changes) => seen.push(...changes.map(({ revision }) => revision)));
    const { after: x } = await store.put("pods", "x", undefined, text("1"));
    isFull = true;
    const lost = store.put("pods", "x", x, text("2"));
    const onTop = store.put("pods", "x", store.head("pods", "x"), text("3"));
    const outcomes = await Promise.allSettled([lost, onTop, store.put("pods", "y", undefined, text("4"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(store.failure?.message).toBe("commit to storage failed: no space left on device");
    expect(store.head("pods", "x")).toBe(x);
    await expect(store.put("pods", "x", x, text("5"))).rejects.toThrow("no space left on device");

    isFull = false;
    const { revision } = await store.put("pods", "x", x, text("6"));
    expect(store.failure).toBeUndefined();
    expect([revision, store.revision, contentOf(store.get("pods", "x"))]).toEqual([2, 2, "6"]);
    expect(seen).toEqual([1, 2]);
    expect(store.head("pods", "y")).toBeUndefined();
  });

  it("of which it is not known what it has kept fails every later write, but no read", async () => {
    const broken = new MemoryBackend();
    const store = new ObjectStore(broken);
    await store.put("pods", "x", undefined, text("1"));
    broken.commit = () => Promise.reject(new Error("no space left"));
    const write = store.put("pods", "y", undefined, text("2"));
    await expect(write).rejects.toThrow(/takes no more writes/);
    expect(store.get("pods", "y")).toBeUndefined();
    expect(contentOf(store.get("pods", "x"))).toBe("1");
    expect(() => store.put("pods", "z", undefined, text("3"))).toThrow(/takes no more writes/);
    expect(store.failure).toBeInstanceOf(Error);
  });
});

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArchiveEntry } from "./archive-entry.ts";
import { readArchive } from "./read-archive.ts";
import type { ReadTarOptions } from "./read-tar.ts";
import { writeHeader as header } from "./testing/tar-header.ts";
import { writeTar } from "./write-tar.ts";

const run = promisify(execFile);
const long = `sys/${"a-name-that-goes-on/".repeat(12)}end`;
const tree: ArchiveEntry[] = [
  { type: "folder", path: "sys" },
  file("sys/one", "1\n"),
  file("sys/empty", ""),
  file("sys/block", "x".repeat(512)),
  file(long, "long\n"),
  file("sys/ünïcode", "ü"),
  { type: "link", path: "sys/link", to: "one" },
  { type: "link", path: "sys/far", to: `../${long}` },
];

let dir: string;
beforeAll(async () => (dir = await mkdtemp(join(tmpdir(), "attune-tar-"))));
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("an archive", () => {
  it.each([false, true])("is read back unchanged, gzipped: %s", async (gzipped) => {
    expect(await readBack(tree, gzipped)).toEqual(tree);
  });

  it("is read back with any names and contents", async () => {
    const name = fc.stringMatching(/^[\w é-]{1,40}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 8 }).map((names) => names.join("/"));
    const entry = fc.oneof(
      fc.record({ type: fc.constant("file" as const), path, bytes: fc.uint8Array({ maxLength: 1500 }) }),
      fc.record({ type: fc.constant("link" as const), path, to: path }),
      fc.record({ type: fc.constant("folder" as const), path }),
    );
    const entries = fc.uniqueArray(entry, { selector: ({ path: one }) => one, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        expect(plain(await readBack(all, false))).toEqual(plain(all));
      }),
      { numRuns: 60 },
    );
  });

  it.each(["ustar", "gnu", "pax", "v7"])("of the system's tar is read, in format %s", async (format) => {
    const from = join(dir, format);
    // Old formats have no room for names that long.
    const fitting =
      format === "ustar" || format === "v7" ? tree.filter(({ path }) => !/^sys\/(a-|far)/.test(path)) : tree;
    for (const entry of fitting) await place(from, entry);
    await symlink("one", join(from, "sys/other"));
    const archive = join(dir, `${format}.tgz`);
    await run("tar", ["--format", format, "-czf", archive, "-C", from, "."]);
    const read = await readArchive(once(await readFile(archive)));
    for (const entry of fitting) expect(plain(read)).toContainEqual(plain([entry])[0]);
  });

  it("can be unpacked by the system's tar", async () => {
    const archive = join(dir, "ours.tar");
    await writeFile(archive, await writeTar(tree));
    const to = join(dir, "unpacked");
    await mkdir(to);
    await run("tar", ["-xf", archive, "-C", to]);
    expect(await readFile(join(to, "sys/far"), "utf8")).toBe("long\n");
    expect(await readFile(join(to, "sys/ünïcode"), "utf8")).toBe("ü");
  });

  it("is read without unwanted entries", async () => {
    const read = await readBack(tree, true, { wanted: (path) => path === "sys/one" });
    expect(read).toEqual([file("sys/one", "1\n")]);
  });

  it("may have a file twice: the last counts, also for hard links", async () => {
    const twice = [file("a", "1"), file("a", "2")];
    const again = header({ name: "b", size: 0, type: "1", link: "./a" });
    const bytes = (await writeTar(twice)).subarray(0, -1024);
    expect(await readArchive(once(Buffer.concat([bytes, again])))).toEqual([file("a", "2"), file("b", "2")]);
  });
});

const whole = await writeTar(tree);
const longLink = await writeTar([{ type: "link", path: "a", to: "x".repeat(5000) }]);
const manyFiles = await writeTar(Array.from({ length: 101 }, (_, i) => file(`${i}`, "")));

describe("a hostile archive", () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const empty = header({ name: "a", size: 0, type: "0", link: "" });

  it.each<[string, Uint8Array, RegExp]>([
    ["nothing", Buffer.alloc(0), /empty/],
    ["no archive", Buffer.alloc(2048, "a"), /not a tar archive/],
    ["no gzip", Buffer.from([0x1f, 0x8b, 1, 2, 3]), /damaged/],
    ["half a header", whole.subarray(0, 300), /a damaged one/],
    ["half of one", whole.subarray(0, 700), /a damaged one/],
    ["half a gzip", gzipSync(whole).subarray(0, 60), /damaged/],
    ["a name that leads out", header({ name: "../../etc/passwd", size: 0, type: "0", link: "" }), /leads out/],
    ["a name with a way out within", header({ name: "a/../../b", size: 0, type: "5", link: "" }), /leads out/],
    ["records that lead out", Buffer.concat([pax("15 path=../../b\n"), empty]), /leads out/],
    ["a size beyond all", header({ name: "a", size: 8 ** 11 - 1, type: "0", link: "" }), /more than \d+ bytes/],
    [
      "a name without end",
      Buffer.concat([header({ name: "a", size: 8 ** 10, type: "L", link: "" }), zeros]),
      /16777216 bytes without an entry/,
    ],
    [
      "records without end",
      Buffer.concat(Array.from({ length: 40_000 }, () => pax("8 a=bcd\n"))),
      /bytes without an entry/,
    ],
    ["a link of impossible length", longLink, /too long/],
    ["a record of negative size", Buffer.concat([pax("11 size=-1\n"), empty]), /impossible size/],
    ["a record of no size", Buffer.concat([pax("12 size=abc\n"), empty]), /impossible size/],
    [
      "a bomb",
      gzipSync(Buffer.concat([header({ name: "a", size: zeros.length, type: "0", link: "" }), zeros])),
      /more than 4194304 bytes/,
    ],
    ["files without end", manyFiles, /more than 100 entries/],
  ])("is refused: %s", async (_, bytes, message) => {
    const limits = { keptBytes: 4 * 1024 * 1024, totalBytes: 1024 ** 3, entries: 100 };
    await expect(readArchive(once(bytes), { limits })).rejects.toThrow(message);
  });

  it("is read no further than allowed, though nothing of it is wanted", async () => {
    const bytes = gzipSync(Buffer.concat([header({ name: "a", size: zeros.length, type: "0", link: "" }), zeros]));
    const options = { wanted: () => false, limits: { totalBytes: zeros.length / 2 } };
    await expect(readArchive(once(bytes), options)).rejects.toThrow(/more than 33554432 bytes/);
  });

  it.each(["99 path=x\n", "path=x\n", "0 path=x\n", "7 path\n", "16 __proto__=a\n", " ", "1 "])(
    "is read in spite of invalid pax records: %j",
    async (records) => {
      const read = await readArchive(once(Buffer.concat([pax(records), await writeTar([file("a", "1")])])));
      expect(read).toMatchObject([{ type: "file", bytes: Buffer.from("1") }]);
    },
  );

  it("is refused or read, whichever bytes are damaged", async () => {
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        await readArchive(once(bytes)).catch((error: Error) => expect(error.name).toBe("ArchiveError"));
      }),
      { numRuns: 200 },
    );
  });
});

function pax(records: string): Uint8Array {
  const block = Buffer.alloc(512);
  block.write(records);
  return Buffer.concat([header({ name: "x", size: records.length, type: "x", link: "" }), block]);
}

function file(path: string, text: string): ArchiveEntry {
  return { type: "file", path, bytes: Buffer.from(text) };
}

/** In pieces that fit nothing. */
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const piece = 100_003;
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
}

async function readBack(
  entries: readonly ArchiveEntry[],
  gzipped: boolean,
  options?: ReadTarOptions,
): Promise<ArchiveEntry[]> {
  const bytes = await writeTar(entries);
  return readArchive(once(gzipped ? gzipSync(bytes) : bytes), options);
}

/** Bytes as text: kinds of arrays do not matter. */
function plain(entries: readonly ArchiveEntry[]): object[] {
  return entries.map((entry) =>
    entry.type === "file" ? { ...entry, bytes: Buffer.from(entry.bytes).toString("hex") } : entry,
  );
}

async function place(root: string, entry: ArchiveEntry): Promise<void> {
  const path = join(root, entry.path);
  await mkdir(entry.type === "folder" ? path : dirname(path), { recursive: true });
  if (entry.type === "file") await writeFile(path, entry.bytes);
  if (entry.type === "link") await symlink(entry.to, path);
}

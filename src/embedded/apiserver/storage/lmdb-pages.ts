import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

/**
 * Reads every page that the trees of an LMDB file refer to, and throws where one cannot be what lmdb wrote. lmdb itself
 * follows the numbers it finds in its mapped file: a wrong one ends the process with SIGSEGV or SIGBUS.
 *
 * Found: a page, an item or a free page outside the file or its page, used twice or of another type; keys out of order; a
 * wrong number of items. Other bytes within a key or a value are not: checksums of rows find those.
 */
export function checkPages(path: string): void {
  // lmdb writes numbers as the machine has them.
  if (endianness() !== "LE") return;
  const file = openSync(path, "r");
  try {
    const meta = newestMeta(file);
    if (meta.last * meta.pageSize > fstatSync(file).size + maxMissingBytes)
      throw new Error(`its last page is ${meta.last}`);
    const pages = new Pages(file, meta);
    // Every transaction of a server writes a row, and with it the root.
    const { page: root } = meta.main;
    if (root !== undefined && pages.read(root).readBigUInt64LE(at.transaction) !== meta.transaction)
      throw new Error("its first pages belong to another transaction");
    new Tree(pages, meta.main).check();
    new Tree(pages, meta.free, (list) => pages.claimFree(list)).check();
  } finally {
    closeSync(file);
  }
}

/** Free pages at the end of a file may be missing: those of one transaction. */
const maxMissingBytes = 1024 * 1024 * 1024;

/** The fields of a page's header, and their places. */
const at = { number: 0, transaction: 8, flags: 18, lower: 20, upper: 22, pageCount: 20 };
const headerBytes = 24;
const flag = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 };

/** A node begins with the size of its data or the number of a page, flags, and the size of its key. */
const nodeBytes = 8;
/** The data of a leaf's node is the number of overflow pages, the first of them. */
const bigData = 0x01;

const maxDepth = 32;
const noRoot = (1n << 64n) - 1n;

interface Root {
  readonly depth: number;
  readonly entries: number;
  /** Undefined if the tree is empty. */
  readonly page: number | undefined;
}

interface Meta {
  readonly pageSize: number;
  /** The last page that was ever used. */
  readonly last: number;
  readonly transaction: bigint;
  readonly free: Root;
  readonly main: Root;
}

/** lmdb writes the two in turn, one with each transaction, and uses the newer one. */
function newestMeta(file: number): Meta {
  const first = readMeta(file, 0, 0);
  const second = readMeta(file, 1, first.pageSize);
  if (second.pageSize !== first.pageSize) throw new Error("its first two pages disagree");
  return second.transaction > first.transaction ? second : first;
}

const metaBytes = headerBytes + 144;

function readMeta(file: number, number: number, place: number): Meta {
  const page = Buffer.alloc(metaBytes);
  const isWhole = readSync(file, page, 0, metaBytes, place) === metaBytes;
  const body = page.subarray(headerBytes);
  if (
    !isWhole ||
    (page.readUInt16LE(at.flags) & flag.meta) === 0 ||
    body.readUInt32LE(0) !== 0xbeefc0de ||
    (body.readUInt32LE(4) & 0xffff) !== 2
  )
    throw new Error(`page ${number} is not the beginning of an LMDB file`);
  const pageSize = body.readUInt32LE(24);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0)
    throw new Error(`page ${number}: pages of ${pageSize} bytes`);
  const last = Number(body.readBigUInt64LE(120));
  return {
    pageSize,
    last,
    transaction: body.readBigUInt64LE(128),
    free: readRoot(body.subarray(24), integerKeys),
    main: readRoot(body.subarray(72), 0),
  };
}

/** How lmdb compares the keys of a tree. The bits beside it stand for several values of one key, and other orders. */
const integerKeys = 0x08;

function readRoot(record: Buffer, flags: number): Root {
  const depth = record.readUInt16LE(6);
  if (depth > maxDepth || (record.readUInt16LE(4) & 0xff) !== flags)
    throw new Error("it has a tree that lmdb did not write");
  const page = record.readBigUInt64LE(40);
  return { depth, entries: Number(record.readBigUInt64LE(32)), page: page === noRoot ? undefined : Number(page) };
}

/** The pages of a file, each of which may be used once. */
class Pages {
  readonly size: number;
  readonly #file: number;
  readonly #meta: Meta;
  readonly #fileBytes: number;
  readonly #used = new Set<number>();

  constructor(file: number, meta: Meta) {
    this.#file = file;
    this.size = meta.pageSize;
    this.#meta = meta;
    this.#fileBytes = fstatSync(file).size;
  }

  claim(number: number, count = 1): void {
    if (number < 2 || number + count - 1 > this.#meta.last) throw new Error(`page ${number} does not exist`);
    for (let i = number; i < number + count; i++) {
      if (this.#used.has(i)) throw new Error(`page ${i} is used twice`);
      this.#used.add(i);
    }
  }

  read(number: number, bytes = this.size): Buffer {
    const place = number * this.size;
    if (place + bytes > this.#fileBytes) throw new Error(`page ${number} is missing`);
    const page = Buffer.allocUnsafe(bytes);
    readSync(this.#file, page, 0, bytes, place);
    if (page.readBigUInt64LE(at.number) !== BigInt(number)) throw new Error(`page ${number} has another page's number`);
    if (page.readBigUInt64LE(at.transaction) > this.#meta.transaction)
      throw new Error(`page ${number} is newer than the last write`);
    return page;
  }

  /** A list of free pages: its length, then numbers of pages. A negative number is the length of a run that begins at the next. */
  claimFree(list: Buffer): void {
    const count = list.length < 8 ? -1 : Number(list.readBigUInt64LE(0));
    if (count < 0 || (count + 1) * 8 > list.length) throw new Error("a list of free pages is cut off");
    for (let i = 1, run = 1; i <= count; i++) {
      const number = Number(list.readBigInt64LE(i * 8));
      if (number > 0) this.claim(number, run);
      run = number < 0 ? -number : 1;
    }
  }
}

/** One tree of the file. With `visit`, which gets the value of each item, its keys are integers. */
class Tree {
  readonly #pages: Pages;
  readonly #root: Root;
  readonly #visit: ((value: Buffer) => void) | undefined;
  #entries = 0;
  /** The key of the last item, and the least that the next may have. */
  #previous: Buffer | undefined;
  #least: Buffer | undefined;

  constructor(pages: Pages, root: Root, visit?: (value: Buffer) => void) {
    this.#pages = pages;
    this.#root = root;
    this.#visit = visit;
  }

  check(): void {
    const { page, depth, entries } = this.#root;
    if (page !== undefined) this.#page(page, depth);
    if (this.#entries !== entries) throw new Error(`${this.#entries} of ${entries} items are there`);
  }

  #page(number: number, levels: number): void {
    this.#pages.claim(number);
    const page = this.#pages.read(number);
    const isLeaf = levels === 1;
    const [lower, upper] = [page.readUInt16LE(at.lower), page.readUInt16LE(at.upper)];
    if (levels < 1 || page.readUInt16LE(at.flags) !== (isLeaf ? flag.leaf : flag.branch))
      throw new Error(`page ${number} is of another type`);
    if (lower % 2 !== 0 || lower > upper || headerBytes + upper > page.length)
      throw new Error(`page ${number} has no room for its items`);
    for (let i = 0; i < lower / 2; i++) {
      const place = headerBytes + page.readUInt16LE(headerBytes + 2 * i);
      const node = page.subarray(place);
      if (place < headerBytes + upper || node.length < nodeBytes || nodeBytes + node.readUInt16LE(6) > node.length)
        throw new Error(`page ${number}: item ${i} is outside of it`);
      if (isLeaf) this.#item(node, `page ${number}: item ${i}`);
      else {
        // The first key of a branch is not used.
        if (i > 0) this.#inOrder((this.#least = keyOf(node)), `page ${number}: item ${i}`);
        this.#page(node.readUIntLE(0, 6), levels - 1);
      }
    }
  }

  #item(node: Buffer, name: string): void {
    this.#entries++;
    const key = keyOf(node);
    const data = node.subarray(nodeBytes + key.length);
    const [size, flags] = [node.readUInt32LE(0), node.readUInt16LE(4)];
    if ((flags & ~bigData) !== 0) throw new Error(`${name} is of another type`);
    if (data.length < (flags === bigData ? 24 : size)) throw new Error(`${name} is cut off`);
    this.#inOrder(key, name);
    if (this.#least && this.#compare(key, this.#least) < 0) throw new Error(`${name} is out of order`);
    this.#previous = key;
    if (flags !== bigData) return this.#visit?.(data.subarray(0, size));
    const first = Number(data.readBigUInt64LE(0));
    const count = Number(data.readBigUInt64LE(16));
    this.#pages.claim(first, count);
    const page = this.#pages.read(first, headerBytes + size);
    const isOverflow = page.readUInt16LE(at.flags) === flag.overflow;
    if (!isOverflow || page.readUInt32LE(at.pageCount) !== count || headerBytes + size > count * this.#pages.size)
      throw new Error(`${name} is not in its pages`);
    this.#visit?.(page.subarray(headerBytes));
  }

  #inOrder(key: Buffer, name: string): void {
    if (this.#visit && key.length !== 8) throw new Error(`${name} is of another type`);
    if (this.#previous && this.#compare(this.#previous, key) >= 0) throw new Error(`${name} is out of order`);
  }

  #compare(a: Buffer, b: Buffer): number {
    return this.#visit ? Number(a.readBigUInt64LE() - b.readBigUInt64LE()) : Buffer.compare(a, b);
  }
}

const keyOf = (node: Buffer): Buffer => node.subarray(nodeBytes, nodeBytes + node.readUInt16LE(6));

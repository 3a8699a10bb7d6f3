import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Headers } from "tar-stream";
import { packTar } from "../src/node/snapshot/write-tar.ts";
import type { Entry, FileTree } from "./file-tree.ts";

export interface Blob {
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** `sha256:…` */
  readonly digest: string;
}

export interface Layer {
  readonly blob: Blob;
  /** Digest of the archive before compression. */
  readonly diffId: string;
  /** Bytes of its files. */
  readonly size: number;
}

/** The same files always give the same bytes. */
export async function layerOf(tree: FileTree): Promise<Layer> {
  const tar = await tarOf(tree.entries());
  // Level 9 takes twice the time, for 0.3 % less.
  const blob = blobOf("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(tar, { level: 6 }));
  return { blob, diffId: digestOf(tar), size: tree.size };
}

export function blobOf(mediaType: string, content: Buffer | object): Blob {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  return { mediaType, bytes, digest: digestOf(bytes) };
}

/** A tar archive with these entries, in their order. */
export async function tarOf(entries: Iterable<readonly [path: string, entry: Entry]>): Promise<Buffer> {
  return packTar(
    Array.from(entries, ([path, entry]) => [headersOf(path, entry), entry.type === "file" ? entry.bytes : undefined]),
  );
}

function headersOf(path: string, entry: Entry): Headers {
  const shared = { uid: 0, gid: 0, mtime: new Date(entry.mtime * 1000) };
  if (entry.type === "symlink") return { ...shared, type: "symlink", name: path, linkname: entry.to, mode: 0o777 };
  const name = entry.type === "directory" ? `${path}/` : path;
  return { ...shared, type: entry.type, name, mode: entry.mode };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

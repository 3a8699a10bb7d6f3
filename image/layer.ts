import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { pack, type Headers } from "tar-stream";
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
  const blob = blobOf("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(tar, { level: 9 }));
  return { blob, diffId: digestOf(tar), size: tree.size };
}

export function blobOf(mediaType: string, content: Buffer | object): Blob {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  return { mediaType, bytes, digest: digestOf(bytes) };
}

/** A tar archive with these entries, in their order. */
export async function tarOf(entries: Iterable<readonly [path: string, entry: Entry]>): Promise<Buffer> {
  const tar = pack();
  const added = addAll(entries, tar).catch((error: Error) => void tar.destroy(error));
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part);
  await added;
  return Buffer.concat(parts);
}

/** One after the other: tar-stream calls itself for every entry that waits. */
async function addAll(
  entries: Iterable<readonly [path: string, entry: Entry]>,
  tar: ReturnType<typeof pack>,
): Promise<void> {
  for (const [path, entry] of entries)
    await new Promise<void>((resolve, reject) => {
      const bytes = entry.type === "file" ? entry.bytes : undefined;
      tar.entry(headersOf(path, entry), bytes, (error) => (error ? reject(error) : resolve()));
    });
  tar.finalize();
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

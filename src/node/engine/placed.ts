import type { Attributes, Failure, Host, Outcome, Owner } from "../host/host.ts";
import { hashText } from "../../language/object/hash.ts";
import { equal, isObject } from "../../language/object/json.ts";

/** What a path of a node has: as data, so that the journal can hold it. */
export type Placed =
  | { readonly kind: "missing" }
  | ({ readonly kind: "file"; readonly content: string; readonly encoding?: "base64" } & Attributes)
  | ({ readonly kind: "directory" } & Attributes)
  | ({ readonly kind: "link"; readonly target: string } & Owner)
  /** Never read from a node: there both names are files. */
  | { readonly kind: "hard link"; readonly target: string };

export function placedFile(bytes: Uint8Array, as: Attributes): Placed {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const { mode, uid, gid } = as;
  // Text stays readable in the journal.
  if (Buffer.from(text).equals(bytes)) return { kind: "file", content: text, mode, uid, gid };
  return { kind: "file", content: Buffer.from(bytes).toString("base64"), encoding: "base64", mode, uid, gid };
}

export async function readPlaced(path: string, host: Pick<Host, "stat" | "readBytes">): Promise<Placed | Failure> {
  const stat = await host.stat(path);
  switch (stat.type) {
    case "failed":
      return stat;
    case "missing":
      return { kind: "missing" };
    case "link":
      return { kind: "link", target: stat.target, uid: stat.uid, gid: stat.gid };
    case "directory":
      return { kind: "directory", mode: stat.mode, uid: stat.uid, gid: stat.gid };
    case "other":
      return { type: "failed", code: "EINVAL", message: `${path} is a device, a socket or a pipe` };
    case "file": {
      const file = await host.readBytes(path);
      if (file.type === "failed") return file;
      return file.type === "missing" ? { kind: "missing" } : placedFile(file.bytes, stat);
    }
    default:
      return stat satisfies never;
  }
}

/** Puts it at the path, in the place of whatever is there but a directory with files. */
export async function place(path: string, placed: Placed, host: Host): Promise<Outcome> {
  const present = await host.stat(path);
  if (present.type === "failed") return present;
  if (placed.kind === "missing") return present.type === "directory" ? host.prune(path) : host.remove(path);
  if (placed.kind === "directory") {
    if (present.type !== "directory" && present.type !== "missing") await host.remove(path);
    return host.placeDirectory(path, placed);
  }
  // An empty directory may go; one with files makes the write fail.
  if (present.type === "directory") await host.prune(path);
  if (placed.kind === "link") return host.placeLink(path, { target: placed.target, owner: placed });
  if (placed.kind === "hard link") return host.placeLink(path, { target: placed.target, isHard: true });
  return host.replace(path, bytesOf(placed), placed);
}

export function bytesOf({ content, encoding }: Placed & { kind: "file" }): Uint8Array {
  return Buffer.from(content, encoding ?? "utf8");
}

/** What a path has instead, where it is not as it should be. */
export async function otherThanPlaced(path: string, wanted: Placed, host: Host): Promise<string | undefined> {
  const found = await readPlaced(path, host);
  if ("type" in found) return found.message;
  // The two names of a hard link cannot be told apart from two equal files.
  const like = wanted.kind === "hard link" ? await readPlaced(wanted.target, host) : wanted;
  if ("type" in like) return like.message;
  return equal(like, found) ? undefined : describePlaced(found);
}

/** One line for reports. */
export function describePlaced(placed: Placed): string {
  switch (placed.kind) {
    case "missing":
      return "missing";
    case "hard link":
      return `hard link to ${placed.target}`;
    case "link":
      return `link to ${placed.target}, owner ${placed.uid}:${placed.gid}`;
    case "directory":
      return `directory, ${attributes(placed)}`;
    case "file":
      return `file of ${placed.content.length} characters (${hashText(placed.content)}), ${attributes(placed)}`;
    default:
      return placed satisfies never;
  }
}

function attributes({ mode, uid, gid }: Attributes): string {
  return `mode ${mode.toString(8).padStart(4, "0")}, owner ${uid}:${gid}`;
}

export function isPlaced(value: unknown): value is Placed {
  if (!isObject(value)) return false;
  const isOwned = typeof value.uid === "number" && typeof value.gid === "number";
  switch (value.kind) {
    case "missing":
      return true;
    case "hard link":
      return typeof value.target === "string";
    case "link":
      return typeof value.target === "string" && isOwned;
    case "directory":
      return typeof value.mode === "number" && isOwned;
    case "file":
      return (
        typeof value.content === "string" &&
        (value.encoding === undefined || value.encoding === "base64") &&
        typeof value.mode === "number" &&
        isOwned
      );
    default:
      return false;
  }
}

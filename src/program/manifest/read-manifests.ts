import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { get, isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { listItems, parseDocuments, textFault } from "./parse-documents.ts";

/** An object of a file. */
export interface Manifest {
  /** `tuned.yaml, document 2` */
  readonly place: string;
  readonly object: KubeObject;
}

export interface ReadManifests {
  readonly manifests: readonly Manifest[];
  /** Each with its place. */
  readonly problems: readonly string[];
}

export interface ReadOptions {
  /** Also read the folders inside a folder. */
  readonly recursive: boolean;
  readonly stdin: () => Promise<string>;
  /** The text at an address. Absent: addresses are no paths. */
  readonly url?: (address: string) => Promise<string>;
}

/** Files, folders, addresses and `-`, as kubectl's `-f` takes them. */
export async function readManifests(paths: readonly string[], options: ReadOptions): Promise<ReadManifests> {
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    if (path === "-") await manifestsIn("standard input", await options.stdin(), manifests, problems);
    else if (options.url && /^https?:\/\//i.test(path))
      await manifestsIn(path, await options.url(path), manifests, problems);
    else {
      const files = await filesAt(path, options.recursive);
      if (files.length === 0)
        problems.push(
          `${path}: has no file that ends in .yaml, .yml or .json${options.recursive ? "" : "; -R also reads the folders in it"}`,
        );
      for (const file of files)
        await manifestsIn(file, await boundedText(createReadStream(file), file), manifests, problems);
    }
  }
  return { manifests, problems };
}

/** The objects of texts that are at hand. `name`: as places begin. */
export async function readTexts(
  texts: readonly { readonly name: string; readonly text: string }[],
): Promise<ReadManifests> {
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const { name, text } of texts) await manifestsIn(name, text, manifests, problems);
  return { manifests, problems };
}

async function filesAt(path: string, recursive: boolean): Promise<string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? ": addresses begin with http:// or https://" : "";
    throw new Error(`the path ${JSON.stringify(path)} does not exist${address}`, { cause: error });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) files.push(...(recursive ? await filesAt(below, true) : []));
    else if (/\.(ya?ml|json)$/.test(entry.name)) {
      // A pipe is read only if it was named itself: one in a folder would never end.
      const kind = entry.isSymbolicLink() ? await stat(below) : entry;
      if (kind.isFile()) files.push(below);
      else if (!kind.isDirectory()) throw new Error(`read ${below}: neither a file nor a folder`);
    }
  }
  return files;
}

async function manifestsIn(file: string, text: string, manifests: Manifest[], problems: string[]): Promise<void> {
  for (const document of await parseDocuments(file, text)) {
    const { place } = document;
    if ("problem" in document) problems.push(`${place}: ${document.problem}`);
    else
      try {
        for (const object of listItems(document.value)) manifests.push({ place, object: checked(object) });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        problems.push(`${place}: ${message}`);
      }
  }
}

function checked(value: unknown): KubeObject {
  if (!isObject(value)) throw new Error("not an object");
  for (const field of ["apiVersion", "kind"]) check(field, get(value, field));
  const metadata = get(value, "metadata");
  check(`${String(get(value, "kind"))}: metadata.name`, get(metadata, "name"));
  const namespace = get(metadata, "namespace");
  if (namespace !== undefined && typeof namespace !== "string") throw new Error("metadata.namespace is not a string");
  return value as unknown as KubeObject;
}

function check(place: string, text: unknown): void {
  const fault = textFault(text);
  if (fault !== undefined) throw new Error(`${place} ${fault}`);
}

export function readStandardInput(): Promise<string> {
  return boundedText(process.stdin, "standard input");
}

/** Of thousands of manifests. What has more, such as /dev/zero, is another file than was meant. */
const mostBytes = 64 * 1_048_576;

export async function boundedText(stream: AsyncIterable<Uint8Array>, name: string, most = mostBytes): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > most) throw new Error(`read ${name}: it has more than ${most} bytes, and is no file of manifests`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { get, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { listItems, parseDocuments, textFault } from "../../manifest/parse-documents.ts";

/** An object of a file. */
export interface Asset<T extends KubeObject = KubeObject> {
  /** `/assets/profiles.yaml, document 2` */
  readonly place: string;
  readonly object: T;
}

export interface ReadAssets {
  readonly assets: readonly Asset[];
  /** Each with its place. */
  readonly problems: readonly string[];
}

/** Every object of every file below these folders, in the order of folders and file names. File extensions do not matter. */
export async function readAssets(folders: readonly string[]): Promise<ReadAssets> {
  const assets: Asset[] = [];
  const problems: string[] = [];
  for (const folder of folders) {
    for (const file of filesIn(folder)) {
      for (const document of await parseDocuments(file, readFileSync(file, "utf8"))) {
        const { place } = document;
        if ("problem" in document) problems.push(`${place}: ${document.problem}`);
        else
          for (const object of listItems(document.value)) {
            const fault = faultOf(object);
            if (fault === undefined) assets.push({ place, object: object as KubeObject });
            else problems.push(`${place}: line ${document.line}: ${fault}`);
          }
      }
    }
  }
  return { assets, problems };
}

function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return "not an object";
  const faults = ["apiVersion", "kind"].map((field) => ({ field, fault: textFault(get(value, field)) }));
  const wrong = faults.find(({ fault }) => fault !== undefined);
  return wrong && `${wrong.field} ${wrong.fault}`;
}

function filesIn(folder: string): string[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) throw new Error(`--asset-input-dir ${folder}: no such folder`);
  return found.isDirectory() ? filesBelow(folder) : [folder];
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesAt(join(folder, entry.name), entry));
}

/** Links to files are followed, links to folders are not: in a mounted ConfigMap they lead to a copy of the same files. */
function filesAt(path: string, entry: Dirent): string[] {
  if (entry.isDirectory()) return filesBelow(path);
  const found = entry.isSymbolicLink() ? statSync(path) : entry;
  if (found.isDirectory()) return [];
  if (!found.isFile()) throw new Error(`read ${path}: neither a file nor a folder`);
  return [path];
}

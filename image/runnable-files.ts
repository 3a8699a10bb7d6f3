import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Commands that need the package lmdb, which is not in the image. */
const unrunnable = ["apiserver.mjs", "up.mjs"];
const refusal =
  "this command needs the package lmdb, and images do not have it: run attune from an installation by npm";

/** Of the console. */
const page = "console";

/**
 * The files of the bundle, without those that only commands load which cannot run in the image: the embedded API server. Source
 * maps are left out too, and the code that V8 compiled, which is only valid for the Node.js that built it.
 */
export function runnableFiles(bundle: string): Map<string, string | Buffer> {
  const names = readdirSync(bundle).filter((name) => /\.[cm]js$/.test(name));
  const files = new Map<string, string | Buffer>();
  const include = (name: string): void => {
    if (files.has(name)) return;
    const text = unrunnable.includes(name)
      ? `throw new Error(${JSON.stringify(refusal)});\n`
      : readFileSync(join(bundle, name), "utf8");
    files.set(name, text);
    for (const other of names) if (text.includes(`/${other}`)) include(other);
  };
  include("attune.cjs");
  for (const entry of readdirSync(join(bundle, page), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(bundle, path), readFileSync(path));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

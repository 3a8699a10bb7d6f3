import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export interface SourceFile {
  /** `src/cluster/kube/informer/informer.ts` */
  readonly path: string;
  /** `cluster` */
  readonly room: string;
  /** `cluster/kube` */
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export type Import =
  | { readonly type: "file"; readonly path: string; readonly room: string; readonly folder: string }
  | { readonly type: "package"; readonly name: string };

/** Every source file below `src/` that is not a test. */
export function sources(): SourceFile[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => read(join("src", path)));
}

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  return { path, ...placeOf(path), text, imports: specifiers(text).map((specifier) => target(path, specifier)) };
}

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
function specifiers(text: string): string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']|(?:^|\n)\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? match[2] ?? match[3] ?? "");
}

function target(from: string, specifier: string): Import {
  if (!specifier.startsWith(".")) return { type: "package", name: specifier };
  const path = relative(root, resolve(root, dirname(from), specifier));
  return { type: "file", path, ...placeOf(path) };
}

/** Files directly in `src/` or in a room have no folder. */
function placeOf(path: string): { room: string; folder: string } {
  const [source, room = "", folder, ...rest] = path.split("/");
  return source === "src" ? { room, folder: rest.length > 0 ? `${room}/${folder}` : "" } : { room: "", folder: "" };
}

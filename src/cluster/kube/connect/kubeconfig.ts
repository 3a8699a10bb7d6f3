import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { get, isObject } from "../../../language/object/json.ts";

/** A named entry and the directory its relative paths start from. */
export interface KubeconfigEntry {
  fields: Record<string, unknown>;
  directory: string;
}

export interface Kubeconfig {
  clusters: Map<string, KubeconfigEntry>;
  users: Map<string, KubeconfigEntry>;
  contexts: Map<string, KubeconfigEntry>;
  currentContext: string | undefined;
  /** The files it was read from, for messages. */
  sources: string[];
}

const lists = [
  ["clusters", "cluster"],
  ["users", "user"],
  ["contexts", "context"],
] as const;

function emptyKubeconfig(): Kubeconfig {
  return { clusters: new Map(), users: new Map(), contexts: new Map(), currentContext: undefined, sources: [] };
}

/** The kubeconfig in a text, such as the value of a Secret. `source` names it in messages. */
export async function parseKubeconfig(text: string, source: string): Promise<Kubeconfig> {
  const config = emptyKubeconfig();
  config.sources.push(source);
  merge(config, await parseDocument(source, text), "/nonexistent", source);
  return config;
}

/** Reads and merges files as kubectl does: the first file that names an entry, or a current context, wins. */
export async function readKubeconfig(paths: readonly string[], { skipMissing = false } = {}): Promise<Kubeconfig> {
  const merged = emptyKubeconfig();
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT" && skipMissing) return undefined;
      throw new Error(`read kubeconfig ${path}: ${cause.code === "ENOENT" ? "no such file" : cause.message}`, {
        cause,
      });
    });
    if (text === undefined) continue;
    merged.sources.push(path);
    merge(merged, await parseDocument(path, text), resolve(dirname(path)), path);
  }
  return merged;
}

async function parseDocument(path: string, text: string): Promise<unknown> {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text);
    const { readYaml } = await import("../../../language/object/yaml.ts");
    return readYaml(text) ?? {};
  } catch (error) {
    throw malformed(path, error);
  }
}

/** Without the parser's message, which would quote a file that contains secrets. */
function malformed(path: string, error: unknown): Error {
  const line = ((error as Error).cause as { linePos?: { line: number }[] } | undefined)?.linePos?.[0]?.line;
  return new Error(`read kubeconfig ${path}: malformed${line === undefined ? "" : ` at line ${line}`}`);
}

function merge(into: Kubeconfig, document: unknown, directory: string, path: string): void {
  if (!isObject(document)) throw new Error(`read kubeconfig ${path}: not a kubeconfig`);
  const kind = get(document, "kind");
  if (kind !== undefined && kind !== "Config")
    throw new Error(`read kubeconfig ${path}: kind is ${JSON.stringify(kind)}, not Config`);
  for (const [list, noun] of lists) {
    const entries = get(document, list) ?? [];
    if (!Array.isArray(entries)) throw new Error(`read kubeconfig ${path}: ${list} is not a list`);
    for (const entry of entries) {
      const name = get(entry, "name");
      if (typeof name !== "string" || name === "")
        throw new Error(`read kubeconfig ${path}: an entry of ${list} has no name`);
      const fields = get(entry, noun) ?? {};
      if (!isObject(fields)) throw new Error(`read kubeconfig ${path}: ${noun} of "${name}" is not a mapping`);
      if (!into[list].has(name)) into[list].set(name, { fields, directory });
    }
  }
  const current = get(document, "current-context");
  if (typeof current === "string" && current !== "") into.currentContext ??= current;
}

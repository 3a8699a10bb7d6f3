import { get } from "../../language/object/json.ts";
import { splitDocuments } from "../../language/object/split-documents.ts";

/** A document of a file as data, or why it cannot be read. */
export type ParsedDocument =
  | {
      /** `tuned.yaml, document 2` */
      readonly place: string;
      /** Its first line in the file, counted from one. */
      readonly line: number;
      readonly value: unknown;
    }
  | { readonly place: string; readonly problem: string };

/** Every document of a text in YAML or JSON, as Kubernetes reads them. */
export async function parseDocuments(file: string, text: string): Promise<ParsedDocument[]> {
  const documents = splitDocuments(text.replace(/^\uFEFF/, ""));
  const parsed: ParsedDocument[] = [];
  for (const [index, { text: document, line }] of documents.entries()) {
    const place = documents.length > 1 ? `${file}, document ${index + 1}` : file;
    const json = parseJson(document);
    if (json) parsed.push({ place, line, ...json });
    else parsed.push({ place, ...(await parseYaml(document, line)) });
  }
  return parsed;
}

/** JSON is YAML, but JSON.parse needs no YAML library to be loaded. */
function parseJson(text: string): { value: unknown } | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, 200) ? undefined : { value };
  } catch {
    // The YAML reader names the line of the error.
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}

async function parseYaml(text: string, line: number): Promise<{ line: number; value: unknown } | { problem: string }> {
  const { readYaml, YamlError } = await import("../../language/object/yaml.ts");
  try {
    return { line, value: readYaml(text) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { problem: inFile(error.message, line) };
  }
}

/** Counts the line from the start of the file instead of the document. */
function inFile(message: string, line: number): string {
  return message.replace(/^line (\d+)/, (_, at: string) => `line ${Number(at) + line - 1}`);
}

/** The objects of a document: the items of a List, the document itself, or none for an empty document. */
export function listItems(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  const items = get(value, "items");
  const kind = get(value, "kind");
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items) ? items.flatMap(listItems) : [value];
}

/** What is wrong with a field that must be a non-empty string; undefined where nothing is. */
export function textFault(value: unknown): "not set" | "is not a string" | undefined {
  if (value === undefined || value === null || value === "") return "not set";
  return typeof value === "string" ? undefined : "is not a string";
}

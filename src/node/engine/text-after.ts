import { splitArguments } from "../../language/tuned/boot-arguments.ts";
import { setKeys } from "../../language/tuned/value.ts";
import type { Action, ArgumentsEdit, Edit, FileAction } from "./action.ts";
import { overlaid } from "./overlay-lines.ts";
import {
  patchGrubConfig,
  patchGrubDefaults,
  unpatchGrubConfig,
  unpatchGrubDefaults,
} from "./plugins/bootloader/grub-config.ts";

export function isFileAction(action: Action): action is FileAction {
  return action.type === "file" || action.type === "keys" || action.type === "edit";
}

/** A file's text once the action is carried out on its current text. `undefined`: there is no file. */
export function textAfter(action: FileAction, text: string | undefined): string | undefined {
  switch (action.type) {
    case "file":
      return action.text ?? undefined;
    case "keys":
      if (text === undefined && !action.add) return undefined;
      return setKeys(text ?? "", new Map(Object.entries(action.values)), action.add);
    case "edit":
      return edited(text, action.edit);
    default:
      return action satisfies never;
  }
}

function edited(text: string | undefined, edit: Edit): string | undefined {
  if (edit.kind === "lines") return withLines(text, edit);
  if (edit.kind === "overlay") return overlaid(text, edit);
  if (edit.kind === "block") return withBlock(text, edit);
  if (text === undefined) return undefined;
  return edit.kind === "arguments" ? withArguments(text, edit) : editedForGrub(text, edit);
}

function editedForGrub(
  text: string,
  edit: Exclude<Edit, { kind: "lines" | "overlay" | "block" | "arguments" }>,
): string {
  switch (edit.kind) {
    case "grub-config":
      return patchGrubConfig(text, edit);
    case "grub-config-before":
      return unpatchGrubConfig(text, edit);
    case "grub-defaults":
      return patchGrubDefaults(text);
    case "grub-defaults-before":
      return unpatchGrubDefaults(text, edit.lines);
    default:
      return edit satisfies never;
  }
}

function withLines(text: string | undefined, { key, lines, header }: Edit & { kind: "lines" }): string | undefined {
  if (text === undefined && (header === undefined || lines.length === 0)) return undefined;
  const present = ((text || header) ?? "").split("\n");
  const first = present.findIndex((line) => isLineOf(key, line));
  if (present.at(-1) === "") present.pop();
  const at = first < 0 ? present.length : first;
  const others = present.filter((line) => !isLineOf(key, line));
  const result = [...others.slice(0, at), ...lines, ...others.slice(at)].map((line) => `${line}\n`).join("");
  if (lines.length === 0 && result === header) return undefined;
  // A file that ended without a newline does so again: every byte of it comes back when the edit is undone.
  return text !== undefined && text !== "" && !text.endsWith("\n") ? result.slice(0, -1) : result;
}

function withBlock(text: string | undefined, { mark, text: block }: Edit & { kind: "block" }): string | undefined {
  const [begin, end] = [`# BEGIN ${mark}\n`, `# END ${mark}\n`];
  const [before = "", ...rest] = (text ?? "").split(begin);
  const after = rest.join(begin);
  const others = rest.length === 0 ? before : before + after.slice(after.indexOf(end) + end.length);
  if (block === null) return others === "" && (rest.length > 0 || text === undefined) ? undefined : others;
  return `${others}${others === "" || others.endsWith("\n") ? "" : "\n"}${begin}${block}${end}`;
}

function withArguments(text: string, edit: ArgumentsEdit): string {
  const isEntry = /^options\s/m.test(text);
  if (!isEntry) return `${argumentsAfter(splitArguments(text), edit).join(" ")}\n`;
  return text.replaceAll(
    /^(options\s+)(.*)$/gm,
    (_, key: string, line: string) => `${key}${argumentsAfter(splitArguments(line), edit).join(" ")}`,
  );
}

/** The arguments once the edit is made. */
export function argumentsAfter(present: readonly string[], edit: ArgumentsEdit): string[] {
  const result = [...present];
  for (const word of removable(present, edit)) result.splice(result.lastIndexOf(word), 1);
  return [...result, ...edit.add];
}

/** What is removed of those present, as often as that. */
export function removable(present: readonly string[], { remove, keep }: ArgumentsEdit): string[] {
  const spare = new Map<string, number>();
  const count = (words: readonly string[], by: number): void => {
    for (const word of words) spare.set(word, (spare.get(word) ?? 0) + by);
  };
  count(present, 1);
  count(keep, -1);
  return remove.filter((word) => {
    const left = spare.get(word) ?? 0;
    spare.set(word, left - 1);
    return left > 0;
  });
}

/** The lines of a text that set a key. */
export function linesOf(key: string, text: string): string[] {
  return text.split("\n").filter((line) => isLineOf(key, line));
}

function isLineOf(key: string, line: string): boolean {
  if (key.includes(" ")) return sameModule(line.trim().split(/\s+/).slice(0, 2).join(" "), key);
  const equals = line.indexOf("=");
  return equals > 0 && line.slice(0, equals).trim() === key;
}

/** modprobe reads `-` and `_` in names of modules as the same. */
function sameModule(a: string, b: string): boolean {
  return a.replaceAll("-", "_") === b.replaceAll("-", "_");
}

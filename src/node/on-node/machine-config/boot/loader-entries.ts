import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import type { Action } from "../../../engine/action.ts";
import { placedFile } from "../../../engine/placed.ts";
import { textAfter } from "../../../engine/text-after.ts";
import type { Host } from "../../../host/host.ts";
import { areSame, type BootTool, common, minus, union } from "./boot-tool.ts";

/** Where kernel-install puts one file for each kernel. */
export const entryFolders = ["/boot/loader/entries", "/efi/loader/entries", "/boot/efi/loader/entries"] as const;
/** What kernel-install gives to the kernels that are installed next. */
const nextKernels = "/etc/kernel/cmdline";
/** With version 0, as rescue entries have it: it is never the newest. */
const previousName = "-0-attune-previous.conf";

export async function findEntries(host: Pick<Host, "list" | "read">): Promise<BootTool | undefined> {
  for (const folder of entryFolders) {
    const names = (await host.list(folder)).filter(isOfKernel);
    if (names.length > 0) return toolOf(folder, names);
  }
  return undefined;
}

/** What was done to the entries of the kernels must be undone for those that were installed since: kernel-install gave them the arguments. */
export async function withNewKernels(undo: readonly Action[], host: Pick<Host, "list">): Promise<readonly Action[]> {
  const edits = undo.flatMap((action) => (action.type === "edit" && action.edit.kind === "arguments" ? [action] : []));
  const known = new Set(edits.map(({ path }) => path));
  const folder = entryFolders.find((one) => edits.some(({ path }) => path.startsWith(`${one}/`)));
  const [first] = edits;
  if (!first || folder === undefined) return undo;
  const paths = (await host.list(folder)).filter(isOfKernel).map((name) => `${folder}/${name}`);
  const added = paths.filter((path) => !known.has(path)).map((path): Action => ({ ...first, path }));
  return added.length > 0 ? [...added, ...undo] : undo;
}

function isOfKernel(name: string): boolean {
  return name.endsWith(".conf") && !name.endsWith(previousName) && !name.includes("-0-rescue");
}

function toolOf(folder: string, names: readonly string[]): BootTool {
  return {
    name: "kernel-install",
    async plan({ wanted, claimed, base, host }) {
      const paths = names.map((name) => `${folder}/${name}`);
      if ((await host.read(nextKernels)).type === "text") paths.push(nextKernels);
      const texts = await Promise.all(paths.map((path) => host.read(path)));
      const present = texts.map((file) => (file.type === "text" ? optionsOf(file.text) : []));
      const ours = common(minus(present[0] ?? [], base), claimed);
      const remove = union(ours, wanted);
      const keep = common(base, remove);
      const edits = paths.map((path): Action & { type: "edit" } => ({
        type: "edit",
        path,
        edit: { kind: "arguments", remove, add: wanted, keep },
      }));
      const previous = await previousEntry({ folder, names, host });
      return {
        same: edits.every((edit, index) => {
          const file = texts[index];
          return file?.type !== "text" || textAfter(edit, file.text) === file.text;
        }),
        actions: [...(previous ? [previous] : []), ...edits],
        undo: [
          ...edits.map((edit): Action => ({ ...edit, edit: { kind: "arguments", remove, add: [], keep } })),
          { type: "place", path: previousPath(folder, names), placed: { kind: "missing" } },
        ],
      };
    },
  };
}

function optionsOf(text: string): string[] {
  return [...text.matchAll(/^options\s+(.*)$/gm)].flatMap(([, line = ""]) => splitArguments(line));
}

/** Names of entries begin with the id of the machine. */
export function previousPath(folder: string, [name = ""]: readonly string[]): string {
  return `${folder}/${name.split("-", 1)[0]}${previousName}`;
}

interface Entries {
  readonly folder: string;
  readonly names: readonly string[];
  readonly host: Pick<Host, "read">;
}

/** A copy of the entry that was booted. After a crash no entry is as it was booted, and the copy is there already. */
async function previousEntry({ folder, names, host }: Entries): Promise<(Action & { type: "place" }) | undefined> {
  const file = await host.read("/proc/cmdline");
  const booted = splitArguments(file.type === "text" ? file.text : "").filter(
    (word) => !/^(BOOT_IMAGE|initrd)=/.test(word),
  );
  for (const name of names) {
    const entry = await host.read(`${folder}/${name}`);
    if (entry.type !== "text") continue;
    if (!areSame(optionsOf(entry.text), booted)) continue;
    return copyOfEntry(previousPath(folder, names), entry.text, optionsOf(entry.text));
  }
  return undefined;
}

/** The last entry of the menu, with these boot arguments. */
export function copyOfEntry(path: string, text: string, options: readonly string[]): Action & { type: "place" } {
  const isOptions = (line: string): boolean => /^options\s/.test(line);
  const lines = text.split("\n").filter((line) => !/^sort-key\s/.test(line));
  const copy = lines
    .filter((line) => !isOptions(line))
    .toSpliced(lines.findIndex(isOptions), 0, `options ${options.join(" ")}`)
    .map((line) => line.replace(/^version\s.*/, "version 0"))
    .map((line) => line.replace(/^title\s+(.*)/, "title $1 (before the last change of boot arguments)"));
  const bytes = new TextEncoder().encode(copy.join("\n"));
  return { type: "place", path, placed: placedFile(bytes, { mode: 0o644, uid: 0, gid: 0 }) };
}

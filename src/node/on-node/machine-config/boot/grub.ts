import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import { inQuotes } from "../../../engine/plugins/bootloader/state.ts";
import type { Action } from "../../../engine/action.ts";
import { textAfter } from "../../../engine/text-after.ts";
import type { Host } from "../../../host/host.ts";
import { areSame, type BootTool, run } from "./boot-tool.ts";

const defaultsPath = "/etc/default/grub";
const mark = "Attune: boot arguments of the machine config";

interface Grub {
  readonly config: string;
  /** Entries of the administrator, which GRUB reads after the generated ones. */
  readonly custom: string;
  /** Debian's tools also read the files of a folder; the others read the one file only. */
  readonly defaults: string;
  readonly update: readonly string[];
}

const debian: Grub = {
  config: "/boot/grub/grub.cfg",
  custom: "/boot/grub/custom.cfg",
  defaults: "/etc/default/grub.d/90-attune.cfg",
  update: ["update-grub"],
};

const fedora: Grub = {
  config: "/boot/grub2/grub.cfg",
  custom: "/boot/grub2/custom.cfg",
  defaults: defaultsPath,
  update: ["grub2-mkconfig", "-o", "/boot/grub2/grub.cfg"],
};

/** GRUB with generated entries; undefined on nodes without. */
export async function findGrub(host: Pick<Host, "read" | "stat">): Promise<BootTool | undefined> {
  if ((await host.read(defaultsPath)).type !== "text") return undefined;
  for (const grub of [debian, fedora]) if ((await host.stat(grub.config)).type === "file") return toolOf(grub);
  return undefined;
}

function toolOf(grub: Grub): BootTool {
  return {
    name: grub.update[0] ?? "",
    async plan({ wanted, host }) {
      const bad = wanted.find(isChanged);
      if (bad !== undefined)
        return { impossible: `GRUB cannot pass ${bad} on: it has a backslash, a single quote or an open double quote` };
      const set = (line: string | null): Action => ({
        type: "edit",
        path: grub.defaults,
        edit: { kind: "block", mark, text: line },
      });
      const update = run(...grub.update);
      const action = set(defaultsLine(wanted));
      const config = await textOf(grub.config, host);
      const defaults = await host.read(grub.defaults);
      const before = defaults.type === "text" ? defaults.text : undefined;
      const entry = firstEntry(config);
      return {
        same:
          action.type === "edit" &&
          textAfter(action, before) === before &&
          areSame(lastWords(entry, wanted.length), wanted),
        actions: [...(await keepPrevious(grub, entry, host)), action, update],
        undo: [set(null), { type: "edit", path: grub.custom, edit: { kind: "block", mark, text: null } }, update],
      };
    },
  };
}

/** GRUB puts a backslash before these when it calls the kernel. */
function isChanged(word: string): boolean {
  return /['\\]/.test(word) || word.replaceAll(/"[^"]*"/g, "").includes('"');
}

/** The menu is a script: `a=1;halt` would turn the machine off at every boot, and `$` begins a variable even in quotes. */
function inScript(word: string): string {
  const parts = word.split(/("[^"]*")/);
  return parts.map((part, index) => part.replaceAll(index % 2 ? /\$/g : /[$;&|<>{}]/g, String.raw`\$&`)).join("");
}

/** Recovery entries do not use the variable, and stay without the config's arguments. */
function defaultsLine(wanted: readonly string[]): string {
  const name = "GRUB_CMDLINE_LINUX_DEFAULT";
  return `${name}="\${${name}:+$${name} }${inQuotes(wanted.map(inScript).join(" "))}"\n`;
}

/** The entry that was booted stays in the menu, under another name. After a crash it may be there already. */
async function keepPrevious(grub: Grub, entry: string | undefined, host: Pick<Host, "read">): Promise<Action[]> {
  const booted = splitArguments(await textOf("/proc/cmdline", host)).filter((word) => !word.startsWith("BOOT_IMAGE="));
  if (entry === undefined || !areSame(wordsOf(entry), booted)) return [];
  const [, ...body] = entry.split("\n");
  const text = `menuentry 'Before the last change of boot arguments' --id attune-previous {\n${body.join("\n")}\n`;
  return [{ type: "edit", path: grub.custom, edit: { kind: "block", mark, text } }];
}

/** The entry that GRUB starts by default: the first one. */
function firstEntry(config: string): string | undefined {
  const lines = config.split("\n");
  const begin = lines.findIndex((line) => /^\s*menuentry\s/.test(line));
  const end = lines.findIndex((line, index) => index > begin && /^\s*\}/.test(line));
  return begin < 0 || end < 0 ? undefined : lines.slice(begin, end + 1).join("\n");
}

function wordsOf(entry: string): string[] {
  const line = /^\s*linux(?:16|efi)?\s+(.*)$/m.exec(entry)?.[1] ?? "";
  // Its first word is the kernel.
  return splitArguments(line.replaceAll(/\\(.)/g, "$1")).slice(1);
}

function lastWords(entry: string | undefined, count: number): string[] {
  return entry === undefined ? [] : wordsOf(entry).slice(-count);
}

async function textOf(path: string, host: Pick<Host, "read">): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : "";
}

import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import { equal } from "../../../../language/object/json.ts";
import type { Action } from "../../../engine/action.ts";
import { readPlaced } from "../../../engine/placed.ts";
import type { Host } from "../../../host/host.ts";
import { areSame, type BootPlanInput, type BootTool, run, timeoutMs } from "./boot-tool.ts";
import { copyOfEntry, entryFolders, previousPath } from "./loader-entries.ts";

export async function findGrubby(host: Pick<Host, "run">): Promise<BootTool | undefined> {
  const answer = await host.run(["grubby", "--info=DEFAULT"]);
  return answer.type === "exited" && answer.code === 0 ? toolOf(answer.stdout) : undefined;
}

/**
 * grubby sets an argument in place of all others with its name, removes an argument that is given without a value whatever value it has, and
 * splits at every blank. So arguments are managed by name: what the node had of a name comes first, then what the config has.
 */
function toolOf(info: string): BootTool {
  const value = (name: string): string => new RegExp(`^${name}="?(.*?)"?$`, "m").exec(info)?.[1] ?? "";
  const entry: Entry = {
    id: value("id"),
    kernel: value("kernel"),
    initrd: value("initrd"),
    root: value("root"),
    present: splitArguments(value("args")),
  };
  const { present } = entry;
  return {
    name: "grubby",
    async plan(input) {
      const { wanted, claimed, base } = input;
      const bad = wanted.find((word) => /[\s$&\\]/.test(word));
      if (bad !== undefined)
        return {
          impossible: `grubby cannot pass ${bad} on: it has a blank, a dollar sign, an ampersand or a backslash`,
        };
      const names = namesOf([...claimed, ...wanted]);
      const ofNames = (words: readonly string[]): string[] => words.filter((word) => names.has(nameOf(word)));
      const target = [...ofNames(base), ...wanted];
      const isSet = areSame(ofNames(present), target);
      const previous = await keepPrevious(entry, input, isSet);
      return {
        same: isSet && previous.same,
        actions: [...previous.before, update(ofNames(present), target), ...previous.after],
        undo: [update([...claimed, ...wanted, ...ofNames(base)], ofNames(base)), ...previous.undo],
      };
    },
  };
}

/** The default entry, as grubby shows it. */
interface Entry {
  /** Empty: the boot loader does not read one file for each entry. */
  readonly id: string;
  readonly kernel: string;
  readonly initrd: string;
  readonly root: string;
  readonly present: readonly string[];
}

interface Previous {
  readonly same: boolean;
  readonly before: readonly Action[];
  readonly after: readonly Action[];
  readonly undo: readonly Action[];
}

/** The copy of the booted entry is made after the update: grubby updates all entries, that one too. */
function keepPrevious(entry: Entry, input: BootPlanInput, isSet: boolean): Promise<Previous> | Previous {
  return entry.id === "" ? addedEntry(entry, input) : placedEntry(entry, input, isSet);
}

/**
 * An entry that grubby adds itself would come first in the menu, and start by default where no entry was chosen. A crash may come
 * between update and copy: then the ledger has it.
 */
async function placedEntry(entry: Entry, { host, earlier }: BootPlanInput, isSet: boolean): Promise<Previous> {
  const folder = await folderOf(entry.id, host);
  const path = previousPath(folder, [entry.id]);
  const isCopy = (action: Action): boolean => action.type === "place" && action.path === path;
  const kept = earlier.find(isCopy);
  const booted = isSet ? undefined : await bootedWords(entry, host);
  const file = await host.read(`${folder}/${entry.id}.conf`);
  const copy = booted && file.type === "text" ? copyOfEntry(path, file.text, booted) : kept;
  return {
    same: copy?.type !== "place" || equal(await readPlaced(path, host), copy.placed),
    before: [],
    after: copy ? [copy] : [],
    undo: [{ type: "place", path, placed: { kind: "missing" } }],
  };
}

async function folderOf(id: string, host: Pick<Host, "stat">): Promise<string> {
  for (const folder of entryFolders) if ((await host.stat(`${folder}/${id}.conf`)).type === "file") return folder;
  return entryFolders[0];
}

const title = "Before the last change of boot arguments";
const removePrevious: Action = {
  type: "run",
  argv: ["grubby", `--remove-kernel=TITLE=${title}`],
  tolerate: [1],
  timeoutMs,
};

/** grubby before version 8.40-30, which edits the menu of GRUB. It keeps the default entry, and needs the root told. */
async function addedEntry(entry: Entry, { host }: BootPlanInput): Promise<Previous> {
  const { kernel, initrd } = entry;
  const booted = kernel === "" ? undefined : await bootedWords(entry, host);
  const add = (words: readonly string[]): Action =>
    run("grubby", `--add-kernel=${kernel}`, `--initrd=${initrd}`, `--title=${title}`, `--args=${words.join(" ")}`);
  return {
    same: true,
    before: booted ? [removePrevious] : [],
    after: booted ? [add(booted)] : [],
    undo: [removePrevious],
  };
}

/** What the kernel was booted with, where that was the default entry; undefined after a crash, whose update has changed it. */
async function bootedWords({ present, root }: Entry, host: Pick<Host, "read">): Promise<string[] | undefined> {
  const file = await host.read("/proc/cmdline");
  const all = file.type === "text" ? splitArguments(file.text) : [];
  const booted = all.filter((word) => !/^(BOOT_IMAGE|initrd)=/.test(word));
  // GRUB replaces variables of its own.
  const literal = [...(root === "" ? [] : [`root=${root}`]), ...present].filter((word) => !word.startsWith("$"));
  return literal.every((word) => booted.includes(word)) ? booted : undefined;
}

/** A word is named as often as it occurs: grubby may leave the second of two that are side by side. */
function update(remove: readonly string[], add: readonly string[]): Action {
  const options = [
    ...(remove.length > 0 ? [`--remove-args=${remove.map(nameOf).join(" ")}`] : []),
    ...(add.length > 0 ? [`--args=${add.join(" ")}`] : []),
  ];
  return run("grubby", "--update-kernel=ALL", ...options);
}

function namesOf(words: readonly string[]): Set<string> {
  return new Set(words.map(nameOf));
}

function nameOf(word: string): string {
  return word.split("=", 1)[0] ?? "";
}

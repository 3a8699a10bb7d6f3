import { setKeys, unquote } from "../../../../language/tuned/value.ts";
import type { Action } from "../../action.ts";
import type { Observe } from "../../plugin.ts";
import { linesOf } from "../../text-after.ts";

/** TuneD's state file with the kernel arguments it adds; its GRUB template reads it as a shell would. */
export const statePath = "/etc/tuned/bootcmdline";
const argumentsKey = "TUNED_BOOT_CMDLINE";
const initrdKey = "TUNED_BOOT_INITRD_ADD";

export interface BootState {
  /** False: there is no state file. */
  readonly exists: boolean;
  readonly text: string;
  readonly arguments: string;
  readonly initrd: string;
}

export async function readBootState({ host }: Observe): Promise<BootState> {
  const file = await host.read(statePath);
  const text = file.type === "text" ? file.text : "";
  return {
    exists: file.type === "text",
    text,
    arguments: valueIn(text, argumentsKey),
    initrd: valueIn(text, initrdKey),
  };
}

function valueIn(text: string, key: string): string {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${key}=`)) ?? "";
  return unquote(line.slice(key.length + 1).trim()).replaceAll(/\\([\\"$])/g, "$1");
}

/** Without `initrd`, the file's entry for it stays. */
export function writeBootState(args: string, initrd?: string): Extract<Action, { type: "keys" }> {
  const values = {
    [argumentsKey]: inQuotes(args),
    ...(initrd === undefined ? {} : { [initrdKey]: inQuotes(initrd) }),
  };
  return { type: "keys", path: statePath, values, add: true };
}

/** Empties the entries; those that were empty before, or missing, get their own lines back. */
export function undoBootState({ exists, text }: BootState, note: Extract<Action, { type: "keys" }>): Action[] {
  return Object.keys(note.values).map((key) => {
    const lines = valueIn(text, key) === "" ? linesOf(key, text) : [`${key}=""`];
    return { type: "edit", path: statePath, edit: { kind: "lines", key, lines, ...(!exists && { header: "" }) } };
  });
}

export function isWritten({ text }: BootState, { values }: Extract<Action, { type: "keys" }>): boolean {
  return setKeys(text, new Map(Object.entries(values))) === text;
}

/** Within double quotes, a shell and GRUB both take what follows a backslash literally. */
export function inQuotes(text: string): string {
  return text.replaceAll(/[\\"$]/g, String.raw`\$&`);
}

/** The reason why arguments cannot be written to files that a shell and GRUB read. */
export function unwritable(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- it searches for control characters
  return /[`\u0000-\u001f\u007f]/.test(text)
    ? "a boot loader cannot be given backquotes or control characters"
    : undefined;
}

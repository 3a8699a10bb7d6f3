import { setKeys, unquote } from "../../../../language/tuned/value.ts";
import type { Action } from "../../action.ts";
import type { Observe } from "../../plugin.ts";

/** TuneD's note of what it adds to the kernel's command line; its template for GRUB reads it as a shell would. */
export const statePath = "/etc/tuned/bootcmdline";
const argumentsKey = "TUNED_BOOT_CMDLINE";
const initrdKey = "TUNED_BOOT_INITRD_ADD";

export interface BootState {
  readonly text: string;
  readonly arguments: string;
  readonly initrd: string;
}

export async function readBootState({ host }: Observe): Promise<BootState> {
  const file = await host.read(statePath);
  const text = file.type === "text" ? file.text : "";
  return { text, arguments: valueIn(text, argumentsKey), initrd: valueIn(text, initrdKey) };
}

function valueIn(text: string, key: string): string {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${key}=`)) ?? "";
  return unquote(line.slice(key.length + 1).trim()).replaceAll(/\\([\\"$])/g, "$1");
}

/** Without `initrd` what the file says of it stays. */
export function writeBootState(args: string, initrd?: string): Extract<Action, { type: "keys" }> {
  const values = {
    [argumentsKey]: inQuotes(args),
    ...(initrd === undefined ? {} : { [initrdKey]: inQuotes(initrd) }),
  };
  return { type: "keys", path: statePath, values, add: true };
}

export function isWritten({ text }: BootState, { values }: Extract<Action, { type: "keys" }>): boolean {
  return setKeys(text, new Map(Object.entries(values))) === text;
}

/** Both a shell and GRUB take what follows a backslash literally, within double quotes. */
export function inQuotes(text: string): string {
  return text.replaceAll(/[\\"$]/g, String.raw`\$&`);
}

/** Why arguments cannot be written where a shell and GRUB will read them. */
export function unwritable(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[`\u0000-\u001f\u007f]/.test(text)
    ? "a boot loader cannot be given backquotes or control characters"
    : undefined;
}

import { isBelow } from "../../../../language/tuned/chain/path.ts";
import type { Action, Edit } from "../../action.ts";
import type { Observe } from "../../plugin.ts";
import { textAfter } from "../../text-after.ts";
import { grubConfigBefore, grubDefaultsBefore } from "./grub-config.ts";
import { type BootState, inQuotes, isWritten, undoBootState, writeBootState } from "./state.ts";

const defaultsPath = "/etc/default/grub";
const hook = "/usr/lib/kernel/install.d/92-tuned.install";

export interface GrubPlan {
  readonly actions: readonly Action[];
  readonly undo: readonly Action[];
  /** Nothing would change. */
  readonly same: boolean;
  readonly notes: readonly string[];
}

export interface GrubInput {
  readonly observe: Observe;
  readonly state: BootState;
  readonly arguments: string;
  readonly initrd: string;
  /** `grub2_cfg_file` of the profile. */
  readonly configPath?: string;
}

/** Makes GRUB start kernels with these arguments. Undo removes what was added, from the files as they are by then. */
export async function planGrub({ observe, state, arguments: args, initrd, configPath }: GrubInput): Promise<GrubPlan> {
  const variables = { tuned_params: inQuotes(args), tuned_initrd: inQuotes(initrd) };
  const actions: Action[] = [];
  const undo: Action[] = [];
  const notes: string[] = [];
  let same = true;
  const change = (path: string, text: string, edit: Edit): void => {
    const action = { type: "edit", path, edit } as const;
    actions.push(action);
    same &&= textAfter(action, text) === text;
  };

  const configs = await configsOf(observe, configPath);
  if (configs.size === 0) notes.push("there is no grub.cfg to change");
  for (const [path, text] of configs) {
    change(path, text, { kind: "grub-config", ...variables });
    undo.push({ type: "edit", path, edit: { kind: "grub-config-before", ...grubConfigBefore(text) } });
  }
  const defaults = await observe.host.read(defaultsPath);
  if (configs.size > 0 && defaults.type === "text") {
    const { text } = defaults;
    change(defaultsPath, text, { kind: "grub-defaults" });
    const edit = { kind: "grub-defaults-before", lines: grubDefaultsBefore(text) } as const;
    undo.push({ type: "edit", path: defaultsPath, edit });
  }

  const note = writeBootState(args, initrd);
  actions.push(note);
  undo.push(...undoBootState(state, note));
  same &&= isWritten(state, note);

  if ((await observe.host.list("/boot/loader")).includes("entries")) {
    actions.push(...(await entryActions(observe, args, initrd)));
    undo.push(setEnvironment("", ""));
    same &&= await isInEnvironment(observe, args, initrd);
  }
  return { actions, undo, same, notes };
}

const debian = "/boot/grub/grub.cfg";

/** By real path, so that a link stays a link. */
async function configsOf({ host }: Observe, configPath: string | undefined): Promise<Map<string, string>> {
  const configs = new Map<string, string>();
  for (const path of configPath === undefined ? ["/etc/grub2.cfg", "/etc/grub2-efi.cfg", debian] : [configPath]) {
    if (path === debian && configs.size > 0) continue;
    const real = await host.real(path);
    const file = isBelow(real, ["/boot", "/etc"]) ? await host.read(real) : undefined;
    if (file?.type === "text" && file.text !== "") configs.set(real, file.text);
  }
  return configs;
}

/** Boot loader entries in files of their own read GRUB's environment block, once TuneD's hook has made them refer to it. */
async function entryActions({ host }: Observe, args: string, initrd: string): Promise<Action[]> {
  const machine = await host.read("/etc/machine-id");
  const id = machine.type === "text" ? machine.text.trim() : "";
  const environment = setEnvironment(args, initrd);
  if (id === "") return [environment];
  return [environment, { type: "run", argv: [hook, "add"], env: { KERNEL_INSTALL_MACHINE_ID: id } }];
}

function setEnvironment(args: string, initrd: string): Action {
  return { type: "run", argv: ["grub2-editenv", "-", "set", `tuned_params=${args}`, `tuned_initrd=${initrd}`] };
}

async function isInEnvironment({ host }: Observe, args: string, initrd: string): Promise<boolean> {
  const file = await host.read("/boot/grub2/grubenv");
  if (file.type !== "text") return false;
  const lines = file.text.split("\n");
  const escaped = (text: string): string => text.replaceAll("\\", "\\\\");
  return lines.includes(`tuned_params=${escaped(args)}`) && lines.includes(`tuned_initrd=${escaped(initrd)}`);
}

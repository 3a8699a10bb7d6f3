import { truthDigit } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import { initrdDirectory } from "../../../../language/tuned/profiles/isolation.ts";
import type { Action } from "../../action.ts";
import { isBelow } from "../../../../language/tuned/chain/path.ts";
import type { Observe } from "../../plugin.ts";
import type { BootState } from "./state.ts";

export type Initrd =
  | { type: "none" }
  /** `path`: the image as GRUB sees it. */
  | { type: "image"; target: string; path: string; actions: Action[]; undo: Action[] }
  | { type: "impossible"; option: string; message: string };

/** A further initrd image, copied from a file or made from a directory. */
export async function planInitrd(unit: Unit, observe: Observe, state: BootState): Promise<Initrd> {
  const [option, source] = ["initrd_add_img", "initrd_add_dir"]
    .map((name) => [name, unit.options.get(name)?.value ?? ""] as const)
    .findLast(([, value]) => value !== "") ?? ["", ""];
  // As in TuneD, an empty value means unset.
  if (source === "") return { type: "none" };
  const impossible = (message: string): Initrd => ({ type: "impossible", option, message });
  if (!source.startsWith("/") || source.split("/").includes("..")) return impossible("is not an absolute path");

  const name = unit.options.get("initrd_dst_img")?.value || source.slice(source.lastIndexOf("/") + 1);
  if (!/^\w[\w.+-]*$/.test(name)) return impossible(`${JSON.stringify(name)} is not a name for an image in /boot`);
  const image = `/boot/${name}`;
  // Another image needs another undo, so it is another target.
  const target = `GRUB kernel arguments with ${image}`;
  const ours = observe.original(target) !== undefined || state.initrd.split("/").at(-1) === name;
  const present = (await observe.host.list("/boot")).includes(name);
  if (present && !ours) return impossible(`${image} exists already, and no profile made it`);

  const path = `${await folderSeenByGrub(observe)}${name}`;
  const undo: Action[] = [{ type: "file", path: image, text: null }];
  if (option === "initrd_add_img")
    return {
      type: "image",
      target,
      path,
      actions: [{ type: "run", argv: ["install", "-m", "0644", "--", source, image] }],
      undo,
    };

  // The script of the built-in profile fills its directory just before, where scripts may run.
  const isOwn = source === initrdDirectory;
  const folder = await observe.host.real(source);
  if (!isOwn && !isBelow(folder, [...observe.profileDirectories, "/tmp"]))
    return impossible("is outside the directories of profiles and /tmp");
  const owner = isOwn ? undefined : await observe.host.run(["stat", "-c", "%u %F", "--", folder]);
  if (owner && (owner.type !== "exited" || owner.code !== 0))
    // Profiles often remove the directory once the image is made.
    return present ? { type: "image", target, path, actions: [], undo } : impossible("there is no such directory");
  if (owner && owner.stdout.trim() !== "0 directory") return impossible("is not a directory owned by root");
  const packer = await observe.host.run(["cpio", "--version"]);
  if (packer.type === "failed") return impossible("cpio is not installed, and without it no image can be made");
  const actions: Action[] = [{ type: "run", argv: ["sh", "-c", packed, "sh", folder, image] }];
  if (isOwn) actions.unshift({ type: "run", argv: ["mkdir", "-p", "--", folder] });
  const remove = truthDigit(unit.options.get("initrd_remove_dir")?.value ?? "") === "1";
  if (remove) actions.push({ type: "run", argv: ["rm", "-rf", "--", folder] });
  return { type: "image", target, path, actions, undo };
}

/** The paths are parameters of the script, never part of it. The image gets its name only when it is complete. */
const packed =
  'chmod 0755 -- "$1" && cd -- "$1" && find . | cpio -co >"$2.new" && mv -f -- "$2.new" "$2" || { rm -f -- "$2.new"; exit 1; }';

/** GRUB may see /boot as the root of a file system; the running kernel's path shows it. */
async function folderSeenByGrub({ host }: Observe): Promise<string> {
  const file = await host.read("/proc/cmdline");
  const image = file.type === "text" ? /^\s*BOOT_IMAGE=\s*(?:\([^)]*\))?(\S*\/)/.exec(file.text) : null;
  return image?.[1] ?? "/";
}

import { spawnSync } from "node:child_process";

const programs = ["qemu-system-x86_64", "qemu-img", "mmdebstrap", "mke2fs", "sfdisk"];

/** Why no emulated machine can be started here; undefined: one can. */
export function whyNoMachine({ ATTUNE_LONG: long }: NodeJS.ProcessEnv): string | undefined {
  if (!long) return "it takes long: npm run test:long runs it";
  if (process.arch !== "x64") return "the guest has the Node.js of this machine, which is not of x86-64";
  if (process.getuid?.() !== 0) return "only root can make the disk of a guest";
  const absent = programs.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);
  return absent.length > 0 ? `${absent.join(", ")} is not installed` : undefined;
}

import type { Host } from "./host.ts";

export const bootIdPath = "/proc/sys/kernel/random/boot_id";

/** Changes with every boot of the kernel. */
export async function readBootId(host: Pick<Host, "read">): Promise<string> {
  const found = await findBootId(host);
  if (found === undefined) throw new Error(`--root has no ${bootIdPath}: is it a node's root?`);
  return found;
}

/** Undefined below a root where no kernel runs, such as an image. */
export async function findBootId(host: Pick<Host, "read">): Promise<string | undefined> {
  const file = await host.read(bootIdPath);
  if (file.type === "failed") throw new Error(`read the boot id: ${file.message}`);
  return file.type === "text" ? file.text.trim() : undefined;
}

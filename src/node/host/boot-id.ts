import type { Host } from "./host.ts";

const bootIdPath = "/proc/sys/kernel/random/boot_id";

/** Changes with every boot of the kernel. */
export async function readBootId(host: Pick<Host, "read">): Promise<string> {
  const file = await host.read(bootIdPath);
  if (file.type === "text") return file.text.trim();
  if (file.type === "missing") throw new Error(`--root has no ${bootIdPath}: is it a node's root?`);
  throw new Error(`read the boot id: ${file.message}`);
}

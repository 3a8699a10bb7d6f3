import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Sysctl, its value at first, and its value under each of the two profiles. */
const sysctls = [
  ["vm/swappiness", "60", "10", "11"],
  ["vm/dirty_ratio", "20", "10", "11"],
  ["vm/dirty_background_ratio", "10", "3", "4"],
  ["net/core/somaxconn", "4096", "8192", "8193"],
] as const;

export const sysctlFiles = sysctls.map(([path]) => `proc/sys/${path}`);

/** The root of a node that consists of files, with the small profiles `one` and `two`. */
export async function smallNode(): Promise<{ root: string; remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "attune-bench-node-"));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  };
  await write("proc/sys/kernel/random/boot_id", "00000000-0000-0000-0000-000000000000");
  for (const [path, before] of sysctls) await write(`proc/sys/${path}`, before);
  for (const [name, column] of [
    ["one", 2],
    ["two", 3],
  ] as const)
    await write(
      `etc/tuned/${name}/tuned.conf`,
      ["[sysctl]", ...sysctls.map((sysctl) => `${sysctl[0].replaceAll("/", ".")}=${sysctl[column]}`)].join("\n"),
    );
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

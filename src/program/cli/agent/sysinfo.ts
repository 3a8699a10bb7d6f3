import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { onlineCpus } from "../../../language/cpu/cpu-topology.ts";
import { readTopology } from "../../../language/cpu/read-topology.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { syncFiles } from "../../../node/host/sync-files.ts";
import { ArchiveView } from "../../../node/snapshot/archive-view.ts";
import { collect } from "../../../node/snapshot/collect.ts";
import { writeTar } from "../../../node/snapshot/write-tar.ts";
import type { agentCommandFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { isTerminal, writeOut } from "../terminal/terminal.ts";

/** `attune agent --sysinfo`: writes a snapshot of the node's hardware, for `attune profile`. Changes nothing on the node. */
export async function agentSysinfo({
  root,
  sysinfo: file = "-",
}: Pick<Values<typeof agentCommandFlags>, "root" | "sysinfo">): Promise<void> {
  if (file === "-" && isTerminal())
    throw new Error("--sysinfo -: not writing a binary archive to a terminal; redirect the output or name a file");
  const entries = await collect(new LinuxHost(root, syncFiles));
  if (onlineCpus(readTopology(new ArchiveView(entries))).length === 0)
    throw new Error(`--root ${root}: no CPUs found below it: is it a node's root file system?`);
  const bytes = await promisify(gzip)(await writeTar(entries));
  if (file !== "-") return writeFile(file, bytes);
  writeOut(bytes);
}

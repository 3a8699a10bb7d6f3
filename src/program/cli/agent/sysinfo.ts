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
import type { Options } from "../option/connection-option.ts";

/** `attune agent --sysinfo`: writes what `attune profile` wants to know of a node. Asks no cluster and changes nothing. */
export async function agentSysinfo(options: Options): Promise<void> {
  const root = String(options.root ?? "/");
  const file = String(options.sysinfo);
  // Typed as always a boolean, which it is not.
  const seen = process.stdout.isTTY as boolean | undefined;
  if (file === "-" && seen === true) throw new Error("--sysinfo -: an archive is nothing for a terminal, name a file");
  const entries = await collect(new LinuxHost(root, syncFiles));
  if (onlineCpus(readTopology(new ArchiveView(entries))).length === 0)
    throw new Error(`--sysinfo: no CPU is to be seen below ${root}: is the node's own file system mounted there?`);
  const bytes = await promisify(gzip)(await writeTar(entries));
  if (file !== "-") return writeFile(file, bytes);
  // Whoever reads may have seen enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.stdout.write(bytes);
}

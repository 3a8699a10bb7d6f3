import { formatRanges } from "../../language/cpu/cpu-set.ts";
import { coresOf, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { loadTopology } from "../../language/cpu/load-topology.ts";
import type { CommandResult } from "../../node/host/host.ts";
import type { MemoryCommand, MemoryHost } from "../../node/host/memory-host.ts";
import { ethtool } from "./card-programs.ts";
import { systemctl } from "./service-programs.ts";

export const archPath = "/proc/sys/kernel/arch";
export const releasePath = "/proc/sys/kernel/osrelease";

/** What profiles run on a machine. Programs know nothing that is not in its files. */
export const machinePrograms: ReadonlyMap<string, MemoryCommand> = new Map<string, MemoryCommand>([
  ["uname", uname],
  ["lscpu", lscpu],
  ["systemctl", systemctl],
  ["ethtool", ethtool],
  ["mktemp", () => printed("/tmp/tmp.lab\n")],
  // What the scripts of base profiles are called: there is no shell, and they are taken at their word.
  ["script.sh", () => printed("")],
]);

async function uname(args: readonly string[], host: MemoryHost): Promise<CommandResult> {
  const asked = args.map((arg) => arg.replace(/^-/, "")).join("");
  if (!/^[snrvm]*$/.test(asked))
    return { type: "failed", message: `uname ${args.join(" ")}: only -s, -n, -r, -v and -m exist here` };
  // The kernel's own order, whatever the order of the letters.
  const words: [string, string][] = [
    ["s", "Linux"],
    ["n", "localhost"],
    ["r", await line(host, releasePath)],
    ["v", "#1 SMP"],
    ["m", await line(host, archPath)],
  ];
  const told = words.filter(([letter]) => (asked === "" ? "s" : asked).includes(letter));
  return printed(`${told.map(([, word]) => word).join(" ")}\n`);
}

async function lscpu(_: readonly string[], host: MemoryHost): Promise<CommandResult> {
  const topology = await loadTopology({ read: (path) => text(host, path), list: (path) => host.list(path) });
  const cores = coresOf(topology);
  const sockets = new Set(cores.map(({ socket }) => socket)).size;
  const vendor = /^vendor_id\s*:\s*(\S+)/m.exec((await text(host, "/proc/cpuinfo")) ?? "")?.[1] ?? "ARM";
  const rows: [string, string | number][] = [
    ["Architecture", await line(host, archPath)],
    ["CPU(s)", onlineCpus(topology).length + topology.offline.length],
    ["On-line CPU(s) list", formatRanges(onlineCpus(topology))],
    ["Vendor ID", vendor],
    ["Thread(s) per core", Math.max(1, ...cores.map(({ cpus }) => cpus.length))],
    ["Core(s) per socket", cores.length / Math.max(1, sockets)],
    ["Socket(s)", sockets],
    ["NUMA node(s)", topology.numaNodes.length],
  ];
  return printed(rows.map(([name, value]) => `${`${name}:`.padEnd(24)} ${value}\n`).join(""));
}

function printed(stdout: string): CommandResult {
  return { type: "exited", code: 0, stdout, stderr: "" };
}

async function line(host: MemoryHost, path: string): Promise<string> {
  return ((await text(host, path)) ?? "").trim();
}

async function text(host: MemoryHost, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

import { cpusOf } from "../../language/cpu/cpu-list.ts";
import { formatRanges } from "../../language/cpu/cpu-set.ts";
import { coresOf, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { loadTopology } from "../../language/cpu/load-topology.ts";
import type { CommandResult } from "../../node/host/host.ts";
import type { MemoryHost } from "../../node/host/memory-host.ts";
import { editEnvironment, rememberEntry, updateGrub } from "./boot/boot-loader.ts";
import { interruptsFile, interruptsOf, mostQueuesFile, queueFiles } from "./device-files.ts";
import type { RunningMachine } from "./running-machine.ts";
import { systemctl, systemdRun } from "./systemd/systemctl.ts";

type MachineProgram = (args: readonly string[], machine: RunningMachine) => CommandResult | Promise<CommandResult>;

export const archPath = "/proc/sys/kernel/arch";
export const releasePath = "/proc/sys/kernel/osrelease";

/** The programs of a machine. Their output comes from the machine's files alone. */
export const machinePrograms: ReadonlyMap<string, MachineProgram> = new Map<string, MachineProgram>([
  ["uname", uname],
  ["lscpu", lscpu],
  ["systemctl", systemctl],
  ["systemd-run", systemdRun],
  ["reboot", (_, machine) => systemctl(["reboot"], machine)],
  ["update-grub", async (_, machine) => updateGrub(machine, await line(machine, releasePath))],
  ["grub-editenv", editEnvironment],
  ["grub-reboot", ([entry = ""], machine) => rememberEntry(machine, "next_entry", entry)],
  ["grub-set-default", ([entry = ""], machine) => rememberEntry(machine, "saved_entry", entry)],
  ["ethtool", ethtool],
  // Pods of virtual nodes need no images.
  ["ctr", () => printed("")],
  ["mktemp", () => printed("/tmp/tmp.lab\n")],
  // The scripts of TuneD's base profiles have this name. There is no shell here: each succeeds without effect.
  ["script.sh", () => printed("")],
]);

async function uname(args: readonly string[], host: MemoryHost): Promise<CommandResult> {
  const asked = args.map((arg) => arg.replace(/^-/, "")).join("");
  if (!/^[snrvm]*$/.test(asked))
    return { type: "failed", message: `uname ${args.join(" ")}: only -s, -n, -r, -v and -m exist here` };
  // uname prints in this order, whatever the order of the options.
  const words: [string, string][] = [
    ["s", "Linux"],
    ["n", "localhost"],
    ["r", await line(host, releasePath)],
    ["v", "#1 SMP"],
    ["m", await line(host, archPath)],
  ];
  const printedWords = words.filter(([letter]) => (asked === "" ? "s" : asked).includes(letter));
  return printed(`${printedWords.map(([, word]) => word).join(" ")}\n`);
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

/** Only the combined queues of a network card: by default one for each CPU. */
async function ethtool(
  [option = "", card = "", name, count]: readonly string[],
  host: MemoryHost,
): Promise<CommandResult> {
  const online = cpusOf(await line(host, "/sys/devices/system/cpu/online")).length;
  const queues = await line(host, mostQueuesFile);
  const most = Number(queues) || online;
  const path = `/run/lab/channels/${card}`;
  if (!(await host.list("/sys/class/net")).includes(card)) return refused(`no device ${card}`);
  if (option === "-l") {
    const now = (await line(host, path)) || String(most);
    const stdout = [
      `Channel parameters for ${card}:`,
      "Pre-set maximums:",
      `Combined:\t${most}`,
      "Current hardware settings:",
      `Combined:\t${now}`,
    ];
    return printed(`${stdout.join("\n")}\n`);
  }
  if (option !== "-L" || name !== "combined" || !/^[1-9][0-9]{0,4}$/.test(count ?? "") || Number(count) > most)
    return refused(`${[option, card, name, count].join(" ").trim()}: not supported`);
  if (queues !== "") await setQueues(host, { now: Number((await line(host, path)) || most), wanted: Number(count) });
  await host.replace(path, `${count}\n`);
  return printed("");
}

/** Queues and their interrupts come and go with their number. */
async function setQueues(host: MemoryHost, { now, wanted }: { now: number; wanted: number }): Promise<void> {
  const possible = cpusOf(await line(host, "/sys/devices/system/cpu/possible")).length;
  for (let queue = Math.min(now, wanted); queue < Math.max(now, wanted); queue++)
    for (const [file, shown] of queueFiles(queue, possible)) host.put(file, queue < wanted ? shown : undefined);
  const hasDisk = /nvme/.test((await text(host, interruptsFile)) ?? "");
  host.put(interruptsFile, interruptsOf(wanted, hasDisk));
}

function refused(why: string): CommandResult {
  return { type: "exited", code: 1, stdout: "", stderr: `ethtool: ${why}\n` };
}

function printed(stdout: string): CommandResult {
  return exited(0, stdout);
}

function exited(code: number, stdout = ""): CommandResult {
  return { type: "exited", code, stdout, stderr: "" };
}

async function line(host: MemoryHost, path: string): Promise<string> {
  return ((await text(host, path)) ?? "").trim();
}

async function text(host: MemoryHost, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

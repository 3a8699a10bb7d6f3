import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import { cpuSet, formatRanges } from "../../../language/cpu/cpu-set.ts";
import { hugePageFiles, pagesByNode } from "../huge-page-files.ts";
import { cpuLayout, type Topology } from "../topology.ts";

type File = readonly [path: string, text: string];

const cpuFolder = "/sys/devices/system/cpu";

/** The kernel's files after a boot with these arguments, as far as they differ from a boot without any. */
export function filesOfBoot(topology: Topology, commandLine: string): File[] {
  const words = splitArguments(commandLine);
  const last = (name: string): string | undefined => words.findLast(([key]) => key === name)?.[1];
  const present = cpuLayout(topology).map((_, cpu) => cpu);
  const files: File[] = [["/proc/cmdline", `${commandLine}\n`]];
  const listed = (text: string): string => `${formatRanges(cpuSet(cpusOf(text).filter((cpu) => cpu in present)))}\n`;

  const [, flags = "", isolated] = /^((?:[a-z_]+,)*)(.*)$/.exec(last("isolcpus") ?? "") ?? [];
  // With flags, the kernel isolates CPUs from its scheduler only where `domain` is one of them.
  if (isolated && (flags === "" || flags.split(",").includes("domain")))
    files.push([`${cpuFolder}/isolated`, listed(isolated)]);
  const tickless = last("nohz_full");
  if (tickless !== undefined) files.push([`${cpuFolder}/nohz_full`, listed(tickless)]);
  const affinity = last("systemd.cpu_affinity");
  if (affinity !== undefined) files.push(["/proc/1/status", `Name:\tsystemd\nCpus_allowed_list:\t${listed(affinity)}`]);
  const transparent = last("transparent_hugepage");
  if (transparent !== undefined && thpModes.includes(transparent))
    files.push([
      "/sys/kernel/mm/transparent_hugepage/enabled",
      `${thpModes.map((mode) => (mode === transparent ? `[${mode}]` : mode)).join(" ")}\n`,
    ]);
  if (last("nmi_watchdog") === "0") files.push(["/proc/sys/kernel/nmi_watchdog", "0\n"]);

  const pages = pagesOfArguments(words);
  if (pages.counts.size > 0 || pages.defaultKiB !== 2048) {
    const hugepages = new Map([...(topology.hugepages ?? []), ...pages.counts]);
    files.push(...hugePageFiles(topology, pagesByNode({ ...topology, hugepages }), pages.defaultKiB));
  }
  return files;
}

const thpModes = ["always", "madvise", "never"];

/** Arguments with their values; blanks in double quotes do not end one. */
function splitArguments(commandLine: string): [name: string, value: string][] {
  return (commandLine.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => {
    const plain = word.replaceAll('"', "");
    const equals = plain.indexOf("=");
    return equals < 0 ? [plain, ""] : [plain.slice(0, equals), plain.slice(equals + 1)];
  });
}

/** `hugepages` belongs to the `hugepagesz` before it, else to the default size. */
function pagesOfArguments(words: readonly (readonly [string, string])[]): {
  counts: Map<number, number>;
  defaultKiB: number;
} {
  const defaultKiB = kibibytes(words.find(([name]) => name === "default_hugepagesz")?.[1] ?? "2M") ?? 2048;
  const counts = new Map<number, number>();
  let size = defaultKiB;
  for (const [name, value] of words) {
    if (name === "hugepagesz") size = kibibytes(value) ?? size;
    if (name === "hugepages" && /^[0-9]{1,9}$/.test(value)) counts.set(size, Number(value));
  }
  return { counts, defaultKiB };
}

function kibibytes(text: string): number | undefined {
  const match = /^([0-9]{1,9})([KMG])$/i.exec(text);
  const units: Record<string, number> = { K: 1, M: 1024, G: 1024 * 1024 };
  return match ? Number(match[1]) * (units[(match[2] ?? "").toUpperCase()] ?? 0) : undefined;
}

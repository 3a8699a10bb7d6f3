import { cpusOf } from "../../language/cpu/cpu-list.ts";
import { formatMask, parseMask } from "../../language/cpu/cpu-mask.ts";
import { formatRanges } from "../../language/cpu/cpu-set.ts";
import { schedulerFile, schedulers } from "./device-files.ts";
import { afterPageWrite, isPageCount } from "./huge-page-files.ts";
import { cpuLayout, type Topology } from "./topology.ts";

type File = readonly [path: string, text: string];

const cpuFolder = "/sys/devices/system/cpu";

export interface KernelWrite {
  readonly text: string;
  readonly read: (path: string) => string | undefined;
}

/** Files that the kernel changes by itself after a write to one of them. */
export function kernelEffects(topology: Topology, path: string, write: KernelWrite): readonly File[] {
  if (isPageCount(path)) return afterPageWrite(topology, path, write);
  if (/^\/sys\/devices\/system\/cpu\/cpu[0-9]+\/online$/.test(path)) return afterSwitch(topology, write);
  if (path === schedulerFile) return [[path, schedulers(write.text.trim())]];
  const irq = /^(\/proc\/irq\/[0-9]+)\/smp_affinity(_list)?$/.exec(path);
  return irq ? afterAffinity(irq[1] ?? "", irq[2] === undefined, write) : [];
}

/** Both files show the same CPUs. */
function afterAffinity(folder: string, isMask: boolean, { text, read }: KernelWrite): readonly File[] {
  const other = isMask ? `${folder}/smp_affinity_list` : `${folder}/smp_affinity`;
  if (read(other) === undefined) return [];
  const mask = isMask ? parseMask(text) : undefined;
  const cpus = mask?.type === "cpus" ? mask.cpus : cpusOf(text.trim());
  return [[other, `${isMask ? formatRanges(cpus) : formatMask(cpus)}\n`]];
}

/** CPUs that are on and off. */
function afterSwitch(topology: Topology, { read }: KernelWrite): readonly File[] {
  const cpus = cpuLayout(topology).map((_, cpu) => cpu);
  const isOn = (cpu: number): boolean => read(`${cpuFolder}/cpu${cpu}/online`)?.trim() !== "0";
  return [
    [`${cpuFolder}/online`, `${formatRanges(cpus.filter(isOn))}\n`],
    [`${cpuFolder}/offline`, `${formatRanges(cpus.filter((cpu) => !isOn(cpu)))}\n`],
  ];
}

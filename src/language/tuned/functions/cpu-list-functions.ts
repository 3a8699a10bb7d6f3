import { cpusOf, parseCpuList } from "../../cpu/cpu-list.ts";
import { formatMask, parseMask } from "../../cpu/cpu-mask.ts";
import { pythonDifference } from "../../cpu/python-set.ts";
import { type CpuSet, difference, formatRanges, formatUnpacked, intersection } from "../../cpu/cpu-set.ts";
import { type BuiltIn, type Called, reading, type Surroundings, text } from "./built-in.ts";

const online = "/sys/devices/system/cpu/online";
const present = "/sys/devices/system/cpu/present";

/** TuneD joins arguments with two commas, so that a mask ends with its argument (1.11.2 of TuneD's CPU list grammar). */
const apart = ",,";

/** Functions that convert between lists and masks of CPUs. */
export const cpuListFunctions = {
  cpulist2devs: onCpus(",", (cpus) => text(cpus.map((cpu) => `cpu${cpu}`).join(","))),
  cpulist2hex: onCpus(apart, (cpus) => text(formatMask(cpus))),
  cpulist2hex_invert: onCpus(apart, (cpus, surroundings) =>
    reading(online, surroundings, (all) => text(formatMask(difference(cpusOf(all), cpus)))),
  ),
  cpulist_invert: onCpus(apart, (cpus, surroundings) =>
    reading(online, surroundings, (all) => text(pythonDifference(cpusOf(all), cpus).join(","))),
  ),
  cpulist_online: onCpus(",", (cpus, surroundings) =>
    reading(online, surroundings, (all) => text(formatUnpacked(intersection(cpus, cpusOf(all))))),
  ),
  cpulist_present: onCpus(apart, (cpus, surroundings) =>
    reading(present, surroundings, (all) => text(formatUnpacked(intersection(cpus, cpusOf(all))))),
  ),
  cpulist_pack: onCpus(apart, (cpus) => text(formatRanges(cpus))),
  cpulist_unpack: onCpus(apart, (cpus) => text(formatUnpacked(cpus))),
  hex2cpulist: {
    least: 1,
    most: 1,
    call([mask = ""], surroundings) {
      const parsed = parseMask(mask);
      if (parsed.type === "cpus") return text(formatUnpacked(parsed.cpus));
      if (parsed.type === "too-large") return tooLarge(mask);
      badMask(mask, surroundings);
      return text("");
    },
  },
} satisfies Record<string, BuiltIn>;

function onCpus(separator: string, then: (cpus: CpuSet, surroundings: Surroundings) => Called): BuiltIn {
  return {
    least: 0,
    most: Infinity,
    call(args, surroundings) {
      const list = parseCpuList(args.join(separator));
      if (list.type === "too-large") return tooLarge(list.item);
      if (list.type === "malformed") return then([], surroundings);
      for (const mask of list.badMasks) badMask(mask, surroundings);
      return then(list.cpus, surroundings);
    },
  };
}

function tooLarge(item: string): Called {
  return { type: "invalid", message: `no machine has the CPUs ${JSON.stringify(item.slice(0, 80))}` };
}

function badMask(mask: string, { notice }: Surroundings): void {
  notice("error", `invalid hexadecimal mask '${mask.replaceAll(",", "")}'`);
}

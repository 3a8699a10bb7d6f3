import { parseCpuList } from "../../src/language/cpu/cpu-list.ts";
import { formatMask, parseMask } from "../../src/language/cpu/cpu-mask.ts";
import { cpuSet, formatRanges } from "../../src/language/cpu/cpu-set.ts";
import {
  activeOption,
  collapseBlanks,
  parseSize,
  setKeys,
  truthDigit,
  unquote,
} from "../../src/language/tuned/value.ts";
import type { RecordedCase } from "./recorded-case.ts";

/** Runs what TuneD's own small functions do, by their names there. */
export function runPrimitive({ input }: RecordedCase): unknown {
  const [first, second, third] = input.args ?? [];
  const text = String(first);
  switch (input.method) {
    case "cpulist_unpack": {
      if (first === null) return null;
      const list = parseCpuList(text);
      return list.type === "cpus" ? list.cpus : [];
    }
    case "cpulist_pack":
      return formatRanges(cpuSet(first as number[])).split(",");
    case "cpulist2hex": {
      const list = parseCpuList(text);
      return formatMask(list.type === "cpus" ? list.cpus : []);
    }
    case "hex2cpulist": {
      const mask = parseMask(text);
      return mask.type === "cpus" ? mask.cpus : [];
    }
    case "get_bool":
      return truthDigit(text);
    case "unquote":
      return unquote(text);
    case "remove_ws":
      return collapseBlanks(text);
    case "get_active_option":
      return activeOption(text, second === false ? "everything" : "first word");
    case "get_size": {
      const size = parseSize(text);
      return size === undefined ? null : Number(size);
    }
    case "add_modify_option_in_file":
      return setKeys(
        input.files?.f ?? "",
        new Map(Object.entries(second as Record<string, string>)),
        third === undefined ? true : Boolean(third),
      );
    default:
      throw new Error(`no such function: ${input.method}`);
  }
}

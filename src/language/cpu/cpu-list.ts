import { mostCpus, parseMask } from "./cpu-mask.ts";
import { type CpuSet, cpuSet } from "./cpu-set.ts";
import { parseInteger } from "./integer.ts";

export type CpuList =
  /** `badMasks`: items with `0x` that are no masks; they count as empty. */
  | { type: "cpus"; cpus: CpuSet; badMasks: readonly string[] }
  /** One item is invalid: TuneD then treats the whole list as empty. */
  | { type: "malformed"; item: string }
  | { type: "too-large"; item: string };

/**
 * TuneD's lists of CPUs: `1`, `4-7`, a mask `0xf0`, and exclusions `^5`, `!6-7` at any place. A mask continues over commas
 * until an empty item ends it: `0x1,00000001,,9`.
 */
export function parseCpuList(text: string): CpuList {
  const included = new Set<number>();
  const excluded = new Set<number>();
  const badMasks: string[] = [];
  for (const item of itemsOf(text)) {
    if (/^0x/i.test(item)) {
      const mask = parseMask(item);
      if (mask.type === "too-large") return { type: "too-large", item };
      if (mask.type === "malformed") badMasks.push(item);
      else for (const cpu of mask.cpus) included.add(cpu);
      continue;
    }
    const negated = item.startsWith("^") || item.startsWith("!");
    const range = rangeOf(negated ? item.slice(1) : item);
    if (!range) return { type: "malformed", item };
    const [from, to] = range;
    if (to >= from && (to >= mostCpus || from < 0)) return { type: "too-large", item };
    const target = negated ? excluded : included;
    for (let cpu = Number(from); cpu <= to; cpu++) target.add(cpu);
  }
  for (const cpu of excluded) included.delete(cpu);
  return { type: "cpus", cpus: cpuSet(included), badMasks };
}

/** Commas separate items, except within a mask. Quotes around the whole list are ignored. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  let mask = "";
  for (const item of withoutQuotes(text).split(",")) {
    if (mask !== "" && item !== "") mask += item;
    else if (mask !== "") {
      items.push(mask);
      mask = "";
    } else if (/^0x/i.test(item)) mask = item;
    else if (item !== "") items.push(item);
  }
  if (mask !== "") items.push(mask);
  return items;
}

function withoutQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isQuote(text[start])) start++;
  while (end > start && isQuote(text[end - 1])) end--;
  return text.slice(start, end);
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

/** `4`, `4-7`; what follows a second hyphen is ignored, a reversed range is empty. */
function rangeOf(text: string): [bigint, bigint] | undefined {
  const [first = "", second] = text.split("-", 2);
  const from = parseInteger(first);
  const to = second === undefined ? from : parseInteger(second);
  return from === undefined || to === undefined ? undefined : [from, to];
}

/** The CPUs of a kernel file or of our own list; empty for an invalid list. */
export function cpusOf(text: string): CpuSet {
  const list = parseCpuList(text);
  return list.type === "cpus" ? list.cpus : [];
}

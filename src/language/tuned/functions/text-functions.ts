import { parseInteger } from "../../cpu/integer.ts";
import { type BuiltIn, type Called, running, searching, text, verbatim } from "./built-in.ts";

/** Functions of their arguments; only check_net_queue_count may ask the node. */
export const textFunctions = {
  assertion: {
    least: 3,
    most: 3,
    call: ([name = "", a = "", b = ""]) => (a === b ? verbatim : failed(name, `'${a}' != '${b}'`)),
  },
  assertion_non_equal: {
    least: 3,
    most: 3,
    call: ([name = "", a = "", b = ""]) => (a === b ? failed(name, `'${a}' == '${b}'`) : verbatim),
  },
  check_net_queue_count: {
    least: 1,
    most: 1,
    call([count = ""], surroundings) {
      if (/^[0-9]+$/.test(count)) return text(count);
      return running(["nproc"], surroundings, (cpus) => {
        surroundings.notice("warning", `net-dev queue count is not correctly specified, setting it to HK CPUs ${cpus}`);
        return text(cpus);
      });
    },
  },
  kb2s: { least: 1, most: 1, call: ([count = ""]) => withInteger(count, (kilobytes) => kilobytes * 2n) },
  /** Half a kilobyte is rounded to even, as Python's `round` does. */
  s2kb: {
    least: 1,
    most: 1,
    call: ([count = ""]) =>
      withInteger(count, (sectors) => {
        const half = sectors >> 1n;
        return sectors % 2n !== 0n && half % 2n !== 0n ? half + 1n : half;
      }),
  },
  log: {
    least: 1,
    most: Infinity,
    call(args, { notice }) {
      notice("info", args.join(""));
      return text(args.join(""));
    },
  },
  regex_search_ternary: {
    least: 4,
    most: 4,
    call([content = "", pattern = "", found = "", missing = ""], { budget }) {
      const searched = searching(pattern, content, budget);
      if (searched.type !== "found") return { type: "invalid", message: searched.message };
      return text(searched.found ? found : missing);
    },
  },
  strip: { least: 1, most: Infinity, call: (args) => text(args.join("").trim()) },
} satisfies Record<string, BuiltIn>;

function failed(name: string, comparison: string): Called {
  return { type: "invalid", message: `Assertion '${name}' failed: ${comparison}` };
}

function withInteger(count: string, convert: (count: bigint) => bigint): Called {
  const number = parseInteger(count);
  return number === undefined ? verbatim : text(String(convert(number)));
}

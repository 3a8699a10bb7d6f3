import { describe, expect, test } from "vitest";
import { formatHexMask, formatMask, parseMask } from "./cpu-mask.ts";
import { parseCpuset } from "./kubernetes-cpuset.ts";

const cpus = (text: string) => {
  const parsed = parseCpuset(text);
  return parsed.type === "cpus" ? parsed.cpus : [];
};

describe("a mask", () => {
  test.each([
    ["", "00000000", "0"],
    ["0", "00000001", "1"],
    ["2-3", "0000000c", "c"],
    ["1,3-7", "000000fa", "fa"],
    ["3,4,53-55,61-63", "e0e00000,00000018", "e0e0000000000018"],
    ["0-127", "ffffffff,ffffffff,ffffffff,ffffffff", "f".repeat(32)],
    ["0,1,256,257", `00000003,${"00000000,".repeat(7)}00000003`, `3${"0".repeat(63)}3`],
    ["31", "80000000", "80000000"],
    ["32", "00000001,00000000", "100000000"],
  ])("of %j is written in groups and as one number", (list, grouped, single) => {
    expect(formatMask(cpus(list))).toBe(grouped);
    expect(formatHexMask(cpus(list))).toBe(single);
    expect(parseMask(grouped)).toEqual({ type: "cpus", cpus: cpus(list) });
    expect(parseMask(single)).toEqual({ type: "cpus", cpus: cpus(list) });
  });
});

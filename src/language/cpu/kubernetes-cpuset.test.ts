import { describe, expect, it } from "vitest";
import { formatRanges } from "./cpu-set.ts";
import { parseCpuset } from "./kubernetes-cpuset.ts";

describe("a cpuset", () => {
  it.each([
    ["", ""],
    ["0", "0"],
    ["10,9,8,7,6,5,4,3,2,1,21,22,23,24,25,26,27,28", "1-10,21-28"],
    ["0-3,2-5", "0-5"],
    ["+1-+2", "1-2"],
    ["65535", "65535"],
    ["4,0-9,2-3,9", "0-9"],
  ])("%j is %j", (text, canonical) => {
    const read = parseCpuset(text);
    expect(read.type === "cpus" && formatRanges(read.cpus)).toBe(canonical);
  });

  it.each(["0-", "-", "-3", ",,", ",2", "-,", "0-1,", "0,1,3,,4", "garbage", "3-1", "0 -1", "1-2-3", "0x3", "^1"])(
    "%j is malformed",
    (text) => {
      expect(parseCpuset(text).type).toBe("malformed");
    },
  );

  it.each(["65536", "0-4000000000", "99999999999999999999"])("%j is too large", (text) => {
    expect(parseCpuset(text).type).toBe("too-large");
  });
});

import { expect, test } from "vitest";
import { comparedWithKernel } from "./plan-boot.ts";

const none = { base: [], before: [] };

test("an argument with a blank is found where GRUB has put the quotes around the whole of it (machine-config W-11)", () => {
  const wanted = ['a="b c"', 'a="b c"'];
  expect(comparedWithKernel('"a=b c" quiet "a=b c"\n', { wanted, ...none })).toEqual({ missing: [], left: [] });
  expect(comparedWithKernel('"a=b c"\n', { wanted, ...none }).missing).toEqual(['a="b c"']);
  const before = ['a="b c"'];
  expect(comparedWithKernel('"a=b c"\n', { wanted: [], base: [], before }).left).toEqual(['"a=b c"']);
});

import { describe, expect, test } from "vitest";
import { MemoryBase } from "../../../host/memory-base.ts";
import { MemoryHost } from "../../../host/memory-host.ts";
import { findGrub } from "./grub.ts";
import { comparedWithKernel } from "./plan-boot.ts";

describe("GRUB's menu is a script", () => {
  const files = { "/etc/default/grub": "", "/boot/grub/grub.cfg": "menuentry 'a' {\n  linux /k\n}\n" };
  const plan = async (...wanted: string[]): Promise<unknown> => {
    const host = new MemoryHost(new MemoryBase(Object.entries(files)));
    return (await findGrub(host))?.plan({ wanted, claimed: [], base: [], earlier: [], host });
  };

  test.each(["a='b", String.raw`a=\b`, 'a="b'])("which cannot pass %s on: nothing is changed", async (word) => {
    expect(await plan(word)).toEqual({ impossible: expect.stringContaining(`GRUB cannot pass ${word} on`) });
  });

  test("so that neither the shell nor GRUB acts on an argument", async () => {
    const text = String.raw`a=1\\;halt memmap=1G\\\$4G b=\"c;d \\\$e\"`;
    const edit = { text: expect.stringContaining(`${text}"\n`) };
    expect(await plan("a=1;halt", "memmap=1G$4G", 'b="c;d $e"')).toMatchObject({ actions: [{}, { edit }, {}] });
  });
});

const none = { base: [], before: [] };

test("an argument with a blank is found where GRUB has put the quotes around the whole of it (machine-config W-11)", () => {
  const wanted = ['a="b c"', 'a="b c"'];
  expect(comparedWithKernel('"a=b c" quiet "a=b c"\n', { wanted, ...none })).toEqual({ missing: [], left: [] });
  expect(comparedWithKernel('"a=b c"\n', { wanted, ...none }).missing).toEqual(['a="b c"']);
  const before = ['a="b c"'];
  expect(comparedWithKernel('"a=b c"\n', { wanted: [], base: [], before }).left).toEqual(['"a=b c"']);
});

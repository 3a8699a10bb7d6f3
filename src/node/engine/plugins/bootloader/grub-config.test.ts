import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  grubConfigBefore,
  grubDefaultsBefore,
  patchGrubConfig,
  patchGrubDefaults,
  unpatchGrubConfig,
  unpatchGrubDefaults,
} from "./grub-config.ts";

const plain = `### BEGIN /etc/grub.d/00_header ###
set x=1
### END /etc/grub.d/00_header ###

menuentry a {
  linux /vmlinuz root=/dev/sda1
  initrd /initrd.img
}
menuentry e {
  linuxefi /vmlinuz root=/dev/sda1
  initrdefi /initrd.img
}
menuentry r {
  linux16 /vmlinuz-0-rescue root=x
  initrd16 /initrd-0-rescue.img
}
`;

const patched = (params: string, initrd = ""): string => `### BEGIN /etc/grub.d/00_header ###
set x=1
### END /etc/grub.d/00_header ###

### BEGIN /etc/grub.d/00_tuned ###
set tuned_params="${params}"
set tuned_initrd="${initrd}"
### END /etc/grub.d/00_tuned ###

menuentry a {
  linux /vmlinuz root=/dev/sda1 $tuned_params
  initrd /initrd.img $tuned_initrd
}
menuentry e {
  linuxefi /vmlinuz root=/dev/sda1 $tuned_params
  initrdefi /initrd.img $tuned_initrd
}
menuentry r {
  linux16 /vmlinuz-0-rescue root=x
  initrd16 /initrd-0-rescue.img
}
`;

const plainSet = (params: string): string => patched(params).replaceAll(/ \$tuned_\w+/g, "");

const values = (tuned_params: string, tuned_initrd = ""): { tuned_params: string; tuned_initrd: string } => ({
  tuned_params,
  tuned_initrd,
});

describe("grub.cfg", () => {
  test("gets the variables in every entry but those for rescue", () => {
    expect(patchGrubConfig(plain, values("a=1"))).toBe(patched("a=1"));
  });

  test("that has them gets other values; the same values change nothing", () => {
    expect(patchGrubConfig(patched("a=1"), values("b=2", "/t.img"))).toBe(patched("b=2", "/t.img"));
    expect(patchGrubConfig(patched("a=1"), values("a=1"))).toBe(patched("a=1"));
  });

  test.each([
    ["a variable is not set", patched("a=1").replace(/set tuned_initrd.*\n/, "")],
    ["an entry came without one of them", patched("a=1").replace("sda1 $tuned_params", "sda1")],
    ["no entry has them", patched("a=1").replaceAll(/ \$tuned_\w+/g, "")],
  ])("is patched again where %s", (_, broken) => {
    expect(patchGrubConfig(broken, values("b"))).toBe(patched("b"));
  });

  test("stays the same when patched twice", () => {
    const line = fc.constantFrom(...plain.split("\n"), ...patched("a").split("\n"), "", "  linux", "\tinitrd  x");
    fc.assert(
      fc.property(fc.array(line), fc.string({ unit: "grapheme-ascii" }), (lines, params) => {
        const once = patchGrubConfig(lines.join("\n"), values(params));
        expect(patchGrubConfig(once, values(params))).toBe(once);
      }),
    );
  });

  test("has nothing of them after a roll-back, also where GRUB's tools wrote it anew", () => {
    const line = fc.constantFrom(...plain.split("\n"), "", "  linux", "\tinitrd  x ");
    fc.assert(
      fc.property(fc.array(line), fc.string({ unit: "grapheme-ascii" }), (lines, params) => {
        const original = lines.join("\n");
        const before = grubConfigBefore(original);
        expect(unpatchGrubConfig(patchGrubConfig(original, values(params)), before)).toBe(original);
      }),
    );
    const generated = patched("a=1").replace("root=/dev/sda1 $", "root=/dev/sda1 ro quiet $");
    expect(unpatchGrubConfig(generated, grubConfigBefore(plain))).toBe(plain.replace("sda1", "sda1 ro quiet"));
  });

  test.each([
    ["all of them", patched("old"), patched("")],
    ["the variables, and no entry uses them", plainSet("old"), plainSet("")],
  ])("that had %s before keeps them, empty", (_, original, restored) => {
    expect(unpatchGrubConfig(patchGrubConfig(original, values("a=1")), grubConfigBefore(original))).toBe(restored);
  });

  test("does not interpret $ in a value as a replacement pattern", () => {
    expect(patchGrubConfig(patched("a"), values("$& $1"))).toBe(patched("$& $1"));
  });
});

describe("/etc/default/grub", () => {
  const lines = `GRUB_CMDLINE_LINUX_DEFAULT="\${GRUB_CMDLINE_LINUX_DEFAULT:+$GRUB_CMDLINE_LINUX_DEFAULT }\\$tuned_params"
GRUB_INITRD_OVERLAY="\${GRUB_INITRD_OVERLAY:+$GRUB_INITRD_OVERLAY }\\$tuned_initrd"
`;

  test("refers to the variables, once", () => {
    expect(patchGrubDefaults("A=1")).toBe(`A=1\n${lines}`);
    expect(patchGrubDefaults(`A=1\n${lines}`)).toBe(`A=1\n${lines}`);
  });

  test("has its own lines after a roll-back", () => {
    const [params = "", initrd = ""] = lines.split("\n");
    for (const original of ["A=1\n", `${initrd}\nA=1\n`, `A=1\n${lines}`]) {
      const text = `${patchGrubDefaults(original)}B=2\n`;
      expect(unpatchGrubDefaults(text, grubDefaultsBefore(original))).toBe(`${original}B=2\n`);
    }
    expect(grubDefaultsBefore(`#${params}\n`)).toEqual([]);
  });

  test("is patched although a comment mentions the variable", () => {
    const commented = lines.replaceAll(/^(?=G)/gm, "#");
    expect(patchGrubDefaults(commented)).toBe(`${commented}${lines}`);
  });

  test("loses the line where boot loader entries have files of their own", () => {
    const entries = "GRUB_ENABLE_BLSCFG=true";
    expect(patchGrubDefaults(`${entries}\n${lines}`)).toBe(`${entries}\n${lines.split("\n")[1]}\n`);
    expect(patchGrubDefaults(entries)).toBe(entries);
  });

  test.each([
    ["GRUB_ENABLE_BLSCFG=true", true],
    ['A=1\n GRUB_ENABLE_BLSCFG = "True"\nB=2', true],
    ["#GRUB_ENABLE_BLSCFG=true", false],
    ["GRUB_ENABLE_BLSCFG=false", false],
  ])("%j enables entry files: %s", (text, expected) => {
    expect(patchGrubDefaults(text) === text).toBe(expected);
  });
});

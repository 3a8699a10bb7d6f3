import { describe, expect, test } from "vitest";
import type { ProfileSpec } from "../api.ts";
import { isPossible, possibleArguments } from "./possible-arguments.ts";

function spec(data: string, ...others: string[]): ProfileSpec {
  const profile = [{ name: "p", data }, ...others.map((text, index) => ({ name: `q${index}`, data: text }))];
  return { config: { tunedProfile: "p" }, profile };
}

const boot = (cmdline: string, variables = ""): ProfileSpec =>
  spec(`[main]\nsummary=p\n[variables]\n${variables}\n[bootloader]\ncmdline_a=${cmdline}\n`);

describe("boot arguments that a node can report", () => {
  test.each<[string, ProfileSpec, string[], string[]]>([
    ["are those of the text", boot("+a=1 b"), ["a=1 b"], ["", "a=1", "a=1 b c", "b a=1"]],
    ["are none without a bootloader section", spec("[main]\nsummary=p\n"), [""], ["a"]],
    ["follow variables", boot("isolcpus=${cores}", "cores=2-3"), ["isolcpus=2-3"], ["isolcpus=0-3"]],
    [
      "have any value that the node alone knows, without blanks and quotes",
      boot("a=${f:exec:uname:-r} b"),
      ["a=5.14 b", "a= b", "a=x=y b"],
      ["a=5.14 b c", 'a="1 evil" b', "a=5.14", "evil b"],
    ],
    [
      "have lists and masks where functions of CPUs make them",
      boot("mask=${f:cpulist2hex_invert:2-3}"),
      ["mask=0000,00000003", "mask=3"],
      ["mask=init", "mask=3 mask=3 mask=3"],
    ],
    [
      "are one of the words that a function chooses from",
      boot("${f:lscpu_check:Intel:intel_iommu=on iommu=pt:AMD:amd_iommu=on} q"),
      ["intel_iommu=on iommu=pt q", "amd_iommu=on q", "q"],
      ["intel_iommu=off q", "iommu=evil q", "intel_iommu=on iommu=pt"],
    ],
    [
      "may come from any profile that the node can choose to include",
      spec(
        "[main]\ninclude=${f:virt_check:q0:q1}\n[bootloader]\ncmdline_x=x\n",
        "[bootloader]\ncmdline_v=virtual\n",
        "[bootloader]\ncmdline_v=bare\n",
      ),
      ["virtual x", "bare x"],
      ["virtual", "other x"],
    ],
    [
      "may lack those of a section that is for some nodes only",
      spec("[main]\nsummary=p\n[bootloader]\nuname_regex=rt\ncmdline_x=x\n"),
      ["x", ""],
      ["y"],
    ],
    [
      "may lack those of an option whose program the agent may not run",
      spec("[main]\nsummary=p\n[variables]\nv=${f:exec:x}\n[bootloader]\ncmdline_a=a=${v} b\ncmdline_c=+c\n"),
      ["a=1 b c", "c"],
      ["a=1 b", "c d"],
    ],
    [
      "are printable ASCII: the kernel takes the second byte of à for a blank",
      boot("mode=${f:exec:uname:-r} audit=1"),
      ["mode=5.14 audit=1", " mode=5.14   audit=1 "],
      [
        "mode=5.14àinit=/bin/sh audit=1",
        "mode=x\0 audit=1",
        "mode=x\u00A0audit=1",
        "mode=x\u2028audit=1",
        "mode=x\uFEFFaudit=1",
        "mode=x\naudit=1",
      ],
    ],
    [
      "are printable ASCII where nothing depends on the node",
      boot("audit=1 quiet"),
      ["audit=1 quiet"],
      ["audit=1\u00A0quiet", "audit=1\uFEFFquiet", "audit=1\u2028quiet"],
    ],
    [
      "keep the blanks within quotes",
      boot('a=${f:exec:uname:-r} x="1 2"'),
      ['a=1 x="1 2"'],
      ['a=1 x="1\n2"', 'a=1 x="1  2"', 'a=1 x="1 2'],
    ],
    [
      "are in the order of the text, which counts for huge pages",
      boot("hugepagesz=2M hugepages=${f:exec:uname:-r} hugepagesz=1G hugepages=${f:exec:uname:-m}"),
      ["hugepagesz=2M hugepages=9 hugepagesz=1G hugepages=1"],
      ["hugepagesz=1G hugepages=9 hugepagesz=2M hugepages=1", "hugepages=9 hugepagesz=2M hugepagesz=1G hugepages=1"],
    ],
    [
      "are in the order of the options of a profile",
      spec("[main]\nsummary=p\n[bootloader]\ncmdline_a=a=${f:exec:uname:-r}\ncmdline_b=+b\ncmdline_c=+a=0\n"),
      ["a=1 b a=0"],
      ["b a=1 a=0", "a=0 b a=1", "a=1 a=0 b"],
    ],
    [
      "are repeated as often as in the text",
      boot("affinity=${f:exec:uname:-r} b b", ""),
      ["affinity=1 b b"],
      ["affinity=1 affinity=2 b b", "affinity=1 affinity=2 b", "affinity=1 b", "affinity=1 b b b"],
    ],
    [
      "may lack those that a profile removes",
      spec(
        "[main]\ninclude=q0\n[bootloader]\ncmdline_a=+x y=${f:exec:uname:-r}\n",
        "[bootloader]\ncmdline_a=+x\ncmdline_z=-x\n",
      ),
      ["y=1"],
      ["", "x", "y=1 x"],
    ],
    [
      "are printable even if a program prints their names",
      boot("${f:exec:arguments}"),
      ["a b", "a\tb"],
      ["a\u00A0b", "à", '"a\nb"'],
    ],
    [
      "are any where a program prints whole words, and only there",
      boot("audit=1 ${f:exec:arguments} quiet"),
      ["audit=1 init=/bin/sh a quiet", "audit=1 quiet", ""],
      ["init=/bin/sh", "audit=0 a quiet", "audit=1 a", "quiet audit=1"],
    ],
    [
      "have the text around a name that a program prints",
      boot("x${f:exec:uname:-r}=1 audit=1"),
      ["x5=1 audit=1"],
      ["init=/bin/sh audit=1", "x5=1", "x5=1 y audit=1", "x5=2 audit=1"],
    ],
    [
      "are in the order in which profiles are merged",
      spec(
        "[main]\ninclude=q0,q1\n[bootloader]\ncmdline_a=+a=${f:exec:uname:-r}\ncmdline_c=+c\n",
        "[bootloader]\ncmdline_b=+b\ncmdline_a=+x\n",
        "[bootloader]\ncmdline_d=+d\n",
      ),
      ["b a=1 d c"],
      ["a=1 b d c", "b a=1 c d", "b a=1 d", "b x a=1 d c"],
    ],
    [
      "are in the order of the profiles that the node chooses",
      spec(
        "[main]\ninclude=${f:virt_check:q0:},q1\n[bootloader]\ncmdline_c=+c\n",
        "[main]\ninclude=q1\n[bootloader]\ncmdline_v=+v\n",
        "[bootloader]\ncmdline_d=+d\n",
      ),
      ["d v c"],
      ["v d c", "c d", "d c v"],
    ],
    [
      "follow a variable of the node's own file, unless it is defined after that file",
      boot("a=${a} b=${b} c=${c}", "a=1\ninclude=/etc/tuned/own.conf\nb=2"),
      ["a=1 b=2 c=3", "a=9 b=2 c="],
      ["a=1 b=9 c=3"],
    ],
    [
      "are none if variables double the one after them, which is not expanded in full",
      boot(
        "a=${v0}",
        `${Array.from({ length: 24 }, (_, i) => `v${i}=\${v${i + 1}}\${v${i + 1}}`).join("\n")}\nv24=\${f:exec:x}`,
      ),
      [],
      ["a=1", "a=init"],
    ],
    ["are none if the profile cannot be read", spec("no section\n"), [""], ["a"]],
  ])("%s", (_, given, possible, impossible) => {
    const bounds = possibleArguments(given);
    expect(possible.filter((line) => !isPossible(line, bounds))).toEqual([]);
    expect(impossible.filter((line) => isPossible(line, bounds))).toEqual([]);
  });

  test("are those of the profile, not of a built-in one of the same name", () => {
    const data = "[main]\ninclude=openshift-node\n[bootloader]\ncmdline=nohz=on quiet\n";
    const bounds = possibleArguments({ config: { tunedProfile: "realtime" }, profile: [{ name: "realtime", data }] });
    expect(isPossible("nohz=on quiet", bounds)).toBe(true);
  });

  test("are not bounded if the node may have a profile that is unknown here", () => {
    expect(possibleArguments(spec("[main]\ninclude=elsewhere\n"))).toEqual({ type: "any" });
  });

  test("are not bounded if there are too many ways to answer, also where most lead to no profile", () => {
    const choices = Array.from({ length: 30 }, (_, i) => `\${f:virt_check:q0,gone${i}:gone}`).join(",");
    expect(possibleArguments(spec(`[main]\ninclude=${choices}\n`, "[main]\n"))).toEqual({ type: "any" });
  });

  test("are no longer than the kernel reads", () => {
    expect(isPossible(`a=${"1".repeat(5000)}`, possibleArguments(boot("a=${f:exec:x}")))).toBe(false);
  });

  test("are compared in bounded time, whatever a node sends", () => {
    const bounds = possibleArguments(boot(`a=${"${f:exec:x},".repeat(100)}end`));
    expect(isPossible(`a=${",".repeat(4000)}`, bounds)).toBe(false);
    expect(isPossible(`a=${",".repeat(4000)}end`, bounds)).toBe(true);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../../language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../../language/tuned/resolve.ts";
import { renderProfile } from "./render-profile.ts";

function resolved(texts: Record<string, string>, profile = "p"): ResolvedProfile {
  const layer = new Map(
    Object.entries(texts).map(([name, text]) => [name, parseProfile(text, `/etc/tuned/${name}/tuned.conf`)]),
  );
  const resolution = resolve({ profile, layers: [layer] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

/** A profile without the places of its options. */
function meaning(profile: ResolvedProfile): unknown {
  return {
    variables: [...profile.variables],
    bootArguments: profile.bootArguments,
    units: profile.units
      .filter(({ enabled, unmet }) => enabled && unmet === undefined)
      .map(({ name, type, devices, options }) => ({
        name,
        type,
        devices,
        options: [...options].filter(([key]) => !key.startsWith("cmdline")).map(([key, { value }]) => [key, value]),
      })),
  };
}

test.each<{ name: string; texts: Record<string, string>; profile?: string }>([
  {
    name: "includes, variables and functions",
    texts: {
      base: "[variables]\na=1\nb=${a}2\n[sysctl]\nvm.swappiness=${b}\nvm.x=${f:strip: 7 }\n",
      p: "[main]\ninclude=base\n[sysctl]\nvm.x=8\n[more]\ntype=sysctl\nvm.y=${a}\n",
    },
  },
  {
    name: "names and calls that mean themselves",
    texts: { p: "[variables]\na=1\n[sysfs]\n/sys/a=\\${a} ${nobody} $${a}\n/sys/b=\\${f:strip:x}\n/sys/c=${d-e}\n" },
  },
  { name: "a hash that an escape or a variable brought", texts: { p: "[variables]\na=#b\n[sysfs]\n/sys/a=x ${a}\n" } },
  { name: "several lines", texts: { p: "[scheduler]\nps_blacklist=a\n  b;c\n\n  d\n" } },
  { name: "devices and another name", texts: { p: "[fast]\ntype=disk\ndevices=sda, !sdb\nreadahead=>4096\n" } },
  { name: "the order that priorities give", texts: { p: "[sysctl]\npriority=5\na.b=1\n[sysfs]\n/sys/a=1\n" } },
  {
    name: "boot arguments with operators",
    texts: {
      base: "[bootloader]\ncmdline_a=+ quiet isolcpus=1\n",
      p: "[main]\ninclude=base\n[bootloader]\ncmdline_b=-quiet\ncmdline_c=\\+x nohz=on nohz=on\n",
    },
  },
  { name: "several profiles at once", profile: "p base", texts: { base: "[sysctl]\na.b=1\n", p: "[sysctl]\na.b=2\n" } },
  {
    name: "units that are off or for other nodes",
    texts: { p: "[sysctl]\nenabled=0\na.b=1\n[vm]\ntransparent_hugepages=never\n" },
  },
])("$name are read by TuneD as the same when written out", ({ texts, profile }) => {
  const wanted = resolved(texts, profile);
  const { name, text, left } = renderProfile(wanted);
  expect(left).toEqual([]);
  expect(name).toMatch(/^attune-[a-z-]+$/);
  expect(text).not.toMatch(/^include|^priority/m);
  expect(meaning(resolved({ [name]: text }, name))).toEqual(meaning(wanted));
});

test("writes a section for each script of a merged list, in order", () => {
  const wanted = resolved({
    base: "[script]\nscript=first.sh\n",
    p: "[main]\ninclude=base\n[script]\nscript=second.sh\n",
  });
  const { name, text } = renderProfile(wanted);
  expect(
    resolved({ [name]: text }, name).units.map(({ type, options }) => [type, options.get("script")?.value]),
  ).toEqual([
    ["script", "/etc/tuned/base/first.sh"],
    ["script", "/etc/tuned/p/second.sh"],
  ]);
});

test("renames a section that TuneD 2.20 would read as variables", () => {
  const { name, text } = renderProfile(resolved({ p: "[variables]\ntype=sysctl\nx.y=1\n" }));
  expect(resolved({ [name]: text }, name).units).toMatchObject([{ name: "sysctl-variables", type: "sysctl" }]);
});

test("reports settings that TuneD's files cannot express", () => {
  const profile = resolved({ p: "[sysctl]\na.b=1\nc.d=2\n" });
  const [unit] = profile.units;
  const options = new Map(unit?.options);
  options.set("a.b", { value: "x\ry", from: "p:2", overrides: [] });
  const { text, left } = renderProfile({ ...profile, units: [{ ...unit!, options }] });
  expect(left).toEqual([
    {
      unit: "sysctl",
      option: "a.b",
      from: "p:2",
      message: "cannot be written for TuneD: it contains a carriage return",
    },
  ]);
  expect(text).toContain("c.d=2");
  expect(text).not.toContain("a.b");
});

test("a value that looks like an escaped variable is read back unchanged, in any alphabet", () => {
  const profile = resolved({ p: "[sysfs]\n/sys/a=1\n" });
  const [unit] = profile.units;
  for (const value of ["\\${é}", "\\${a}", "${é}"]) {
    const options = new Map([["/sys/a", { value, from: "p:1", overrides: [] }]]);
    const { name, text } = renderProfile({ ...profile, units: [{ ...unit!, options }] });
    expect(resolved({ [name]: text }, name).units[0]?.options.get("/sys/a")?.value).toBe(value);
  }
});

test("any value is read back unchanged", () => {
  const part = fc.constantFrom(
    "a",
    " ",
    "\n",
    "#",
    ";",
    "$",
    "{",
    "}",
    "\\",
    "${a}",
    "${f:strip:x}",
    "=",
    "[x]",
    ":",
    "é",
    "${",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const profile = resolved({ p: "[variables]\na=1\n[sysfs]\n/sys/a=1\n" });
      const [unit] = profile.units;
      // Lines that are blank at either end, and blanks at the ends of lines, are lost on their way through any file.
      const value = parts
        .join("")
        .trim()
        .replaceAll(/\s*\n\s*/g, "\n");
      const options = new Map([["/sys/a", { value, from: "p:1", overrides: [] }]]);
      const { name, text } = renderProfile({ ...profile, units: [{ ...unit!, options }] });
      // A brace that closes or opens nothing is an error to TuneD either way, and what follows it is left alone.
      fc.pre(isBalanced(value) && (value.match(/\$\{f:/g) ?? []).length < 2);
      expect(resolved({ [name]: text }, name).units[0]?.options.get("/sys/a")?.value).toBe(value);
    }),
    { numRuns: 2000 },
  );
});

function isBalanced(value: string): boolean {
  let open = 0;
  for (const [token] of value.matchAll(/\$\{|\}/g)) {
    open += token === "}" ? -1 : 1;
    if (open < 0) return false;
  }
  return open === 0;
}

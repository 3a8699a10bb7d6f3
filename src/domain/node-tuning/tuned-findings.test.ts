import { describe, expect, it, test } from "vitest";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import { checkSections } from "../../language/tuned/check/check-sections.ts";
import { apiVersion, type Tuned, type TunedSpec } from "./api.ts";
import { findingsOnWrite } from "./tuned-findings.ts";

const namespace = "tuning";
const text = "[main]\nsummary=x\n";

function tuned(spec: TunedSpec | undefined, name = "t", where = namespace): Tuned {
  return { apiVersion, kind: "Tuned", metadata: { name, namespace: where }, ...(spec ? { spec } : {}) };
}

function findings(of: Tuned, tuneds: readonly Tuned[] = [], onHosts: readonly string[] = []): string[] {
  return findingsOnWrite(of, { tuneds, onHosts }, namespace).map(({ severity, message }) => `${severity}: ${message}`);
}

const profile = (data: string, name = "p"): TunedSpec => ({ profile: [{ name, data }] });
const unused = "the rule is not used";
const onlyKept = "only nodes that have the profile already keep it, with its last usable text";
const rule = [{ profile: "p", priority: 1 }];

test.each<[string, TunedSpec | undefined, string[]]>([
  ["no spec", undefined, []],
  ["a profile and a rule", { ...profile(text), recommend: [{ profile: "p", priority: 1 }] }, []],
  ["a rule for a built-in profile", { recommend: [{ profile: "openshift-node", priority: 1 }] }, []],
  [
    "a rule for a profile that does not exist",
    { recommend: [{ profile: "nowhere", priority: 1 }] },
    [`error: recommend[0].profile: profile "nowhere" does not exist; ${onlyKept}`],
  ],
  [
    "a rule for an impossible name",
    { recommend: [{ profile: "../../x", priority: 1 }] },
    [`error: recommend[0].profile: "../../x" is not a valid name of a profile; ${onlyKept}`],
  ],
  [
    "an include that does not exist",
    { ...profile("[main]\ninclude=nowhere\n"), recommend: [{ profile: "p", priority: 1 }] },
    [
      'error: profile[0].data:2: profile "nowhere" does not exist; no node gets this text',
      `error: recommend[0].profile: p/tuned.conf:2: profile "nowhere" does not exist; ${onlyKept}`,
    ],
  ],
  ["an optional include that does not exist", profile("[main]\ninclude=-nowhere\n"), []],
  ["an include that only the node can name", profile("[main]\ninclude=provider-${f:exec:cat:/etc/provider}\n"), []],
  [
    "the same profile twice",
    {
      profile: [
        { name: "p", data: text },
        { name: "p", data: text },
      ],
    },
    [],
  ],
  [
    "two profiles of a name",
    {
      profile: [
        { name: "p", data: text },
        { name: "p", data: `${text}# other\n` },
      ],
    },
    ['error: profile "p" is defined twice, differently: affected nodes keep their current profile'],
  ],
  ["a name with a path", profile(text, "../p"), ['error: profile[0].name: "../p" is not a valid name of a profile']],
  [
    "a text that is not a profile",
    profile("[main\n"),
    [expect.stringMatching(/^error: profile\[0\]\.data:1: .*; no node gets this text$/) as string],
  ],
  [
    "a match tree with a string in it",
    { recommend: [{ profile: "openshift", priority: 1, match: [{ label: "x", match: ["y"] as never }] }] },
    [`error: recommend[0].match[0].match[0] is not an object; ${unused}`],
  ],
  [
    "a section for no plug-in",
    profile("[sysctll]\nvm.swappiness=1\n"),
    ['error: profile[0].data:1: [sysctll] has no effect: TuneD has no plug-in "sysctll"; did you mean "sysctl"?'],
  ],
  [
    "a section with the type of no plug-in",
    profile("[mine]\ntype=quantum\nx=1\n"),
    ['error: profile[0].data:2: [mine] has no effect: TuneD has no plug-in "quantum"'],
  ],
  [
    "a section whose type the included profile sets",
    profile("[main]\ninclude=openshift\n[sysctl]\nvm.swappiness=1\n"),
    [],
  ],
  [
    "an option that the plug-in does not have",
    profile("[cpu]\ngovenor=performance\n"),
    ['error: profile[0].data:2: [cpu] govenor has no effect: it is not an option of [cpu]; did you mean "governor"?'],
  ],
  [
    "options with names that the author chooses",
    profile("[bootloader]\ncmdline_mine=+a\n[scheduler]\ngroup.x=0:f:1:*:y\n"),
    [],
  ],
  [
    "patterns that nodes refuse, and one that depends on a variable",
    profile(
      "[net]\ndevices_udev_regex=^INTERFACE=(e)\\1\n[disk]\ndevices_udev_regex=(?!sda)\nuname_regex=a**\n[scheduler]\nps_blacklist=a;[\ngroup.x=0:f:1:*:a:(\ngroup.y=0:f:1:*:${v}(\n[variables]\nv=1\n",
    ),
    [
      'warning: profile[0].data:2: [net] devices_udev_regex: regular expression "^INTERFACE=(e)\\\\1": a reference to an earlier group is not supported',
      'warning: profile[0].data:5: [disk] uname_regex: regular expression "a**": multiple repeat',
      'warning: profile[0].data:7: [scheduler] ps_blacklist: regular expression "[": unterminated character set',
      'warning: profile[0].data:8: [scheduler] group.x: regular expression "a:(": missing ), unterminated subpattern',
    ],
  ],
  [
    "a misspelt sysctl",
    profile("[sysctl]\nvm.swapiness=1\n"),
    ['warning: profile[0].data:2: sysctl vm.swapiness is not known; did you mean "vm.swappiness"?'],
  ],
  [
    "a sysctl of a folder that kernels do not have",
    profile("[sysctl]\nkernle.pid_max=1\n"),
    ['warning: profile[0].data:2: sysctl kernle.pid_max is not known; did you mean "kernel.pid_max"?'],
  ],
  [
    "a sysctl with slashes, which TuneD 2.28 does not find",
    profile("[sysctl]\nnet/ipv4/ip_forward=1\nnet/ipv4/conf/eth0.100/own=1\n"),
    [
      'warning: profile[0].data:2: sysctl net/ipv4/ip_forward is not known; did you mean "net.ipv4.ip_forward"?',
      'warning: profile[0].data:3: sysctl net/ipv4/conf/eth0.100/own is not known; did you mean "net.ipv4.conf.eth0/100.own"?',
    ],
  ],
  [
    "a sysctl with the sign that sysctl.d(5) ignores errors by",
    profile("[sysctl]\n-net.x=1\n"),
    ['warning: profile[0].data:2: sysctl -net.x is not known: kernels have no /proc/sys/-net; did you mean "net"?'],
  ],
  [
    "a sysctl with a value that the kernel refuses",
    { ...profile("[sysctl]\nvm.swappiness=abc\n"), recommend: rule },
    [
      `error: recommend[0].profile: p/tuned.conf:2: sysctl vm.swappiness takes a number, not "abc"; ${onlyKept}`,
      'error: profile[0].data:2: sysctl vm.swappiness takes a number, not "abc"',
    ],
  ],
  [
    "values that are numbers, or none only for some sysctls",
    profile(
      '[sysctl]\nvm.swappiness="10"\nvm.dirty_ratio= >10\nvm.lowmem_reserve_ratio=256 256\t32\nvm.nr_hugepages=0x10\nvm.dirty_bytes=${f:calc_isolated_cores}\nvm.min_free_kbytes=\nnet.core.default_qdisc=fq\n',
    ),
    [],
  ],
  [
    "a variable that is not defined",
    { ...profile("[sysctl]\nvm.swappiness=${undefined}\n"), recommend: rule },
    [
      `error: recommend[0].profile: p/tuned.conf:2: [sysctl] vm.swappiness: variable \${undefined} is not defined; ${onlyKept}`,
      "error: profile[0].data:2: [sysctl] vm.swappiness: variable ${undefined} is not defined",
    ],
  ],
  [
    "a function that TuneD does not have",
    profile("[variables]\nx=${f:nosuch:1}\n"),
    ['error: profile[0].data:2: [variables] x: TuneD has no function "nosuch"'],
  ],
  [
    "variables that are defined, escaped, or come from a file of the node",
    {
      profile: [
        { name: "p", data: "[main]\ninclude=q\n[variables]\nx=1\n[sysctl]\nvm.swappiness=${x}\n" },
        { name: "q", data: "[sysctl]\nvm.dirty_ratio=${x}\nkernel.own=\\${literal}\n" },
        { name: "r", data: "[variables]\ninclude=/etc/own.conf\n[sysctl]\nvm.swappiness=${own}\n" },
        { name: "s", data: "[main]\ninclude=cpu-partitioning\n[sysctl]\nvm.swappiness=${own}\n" },
      ],
      recommend: rule,
    },
    [],
  ],
  [
    "a profile that needs a variable of those that include it",
    {
      profile: [
        { name: "p", data: "[main]\ninclude=q\n[variables]\nx=1\n" },
        { name: "q", data: "[sysctl]\nvm.dirty_ratio=${x}\n" },
      ],
      recommend: [{ profile: "q", priority: 1 }],
    },
    [
      `error: recommend[0].profile: q/tuned.conf:2: [sysctl] vm.dirty_ratio: variable \${x} is not defined; ${onlyKept}`,
    ],
  ],
  [
    "a profile that includes itself",
    profile("[main]\ninclude=p\n"),
    ["warning: profile[0].data: circular include p → p: repeated include ignored"],
  ],
  ["a built-in profile that is extended under its name", profile("[main]\ninclude=openshift\n", "openshift"), []],
  ["a section that is off", profile("[mine]\nenabled=false\nx=1\n"), []],
  [
    "a misspelt include",
    profile("[main]\ninlcude=openshift-node\n"),
    ['warning: profile[0].data:2: [main] inlcude has no effect; did you mean "include"?'],
  ],
  [
    "sysctls that are not in the list, or have a dot within a name",
    profile(
      "[sysctl]\nnet.ipv4.neigh.default.gc_thresh4=1\nnet.ipv6.conf.all.forwarding=1\nkernel.own_module=1\nnet.ipv4.conf.eth0/100.rp_filter=1\n${key}=1\n",
    ),
    [],
  ],
  [
    "a managementState without effect",
    { managementState: "Removed" },
    ["note: managementState is ignored: only that of the Tuned default has an effect"],
  ],
])("findings about a Tuned, on apply too: %s (W-19)", (_, spec, expected) => {
  expect(findings(tuned(spec))).toEqual(expected);
});

describe("a Tuned among others", () => {
  const rule = tuned({ recommend: [{ profile: "elsewhere", priority: 1 }] });

  it("may use their profiles", () => {
    expect(findings(rule, [tuned(profile(text, "elsewhere"), "other")])).toEqual([]);
  });

  it("may use profiles of a node's own folders", () => {
    expect(findings(rule, [], ["elsewhere"])).toEqual([]);
  });

  it("is not said to lack anything while the others are unknown", () => {
    expect(findingsOnWrite(rule, undefined, namespace)).toEqual([]);
  });

  it("takes the type of a section from a profile that is merged with it", () => {
    const typed = tuned(profile("[mine]\ntype=sysctl\nvm.swappiness=1\n", "base"), "other");
    expect(findings(tuned(profile("[main]\ninclude=base\n[mine]\nvm.dirty_ratio=1\n")), [typed])).toEqual([]);
  });

  it("replaces its own former text", () => {
    expect(findings(tuned(profile(text)), [tuned(profile("[main\n"))])).toEqual([]);
  });
});

it("a Tuned in another namespace is ignored", () => {
  expect(findings(tuned(undefined, "t", "default"))).toEqual([
    "error: it is in namespace default: Tuneds outside namespace tuning are ignored",
  ]);
});

it("nothing is found in any built-in profile", () => {
  const found = [...baseProfiles()].flatMap(([name, parsed]) =>
    checkSections(parsed, new Set()).map(({ message }) => `${name}: ${message}`),
  );
  expect(found).toEqual([]);
});

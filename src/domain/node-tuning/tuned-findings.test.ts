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

test.each<[string, TunedSpec | undefined, string[]]>([
  ["no spec", undefined, []],
  ["a profile and a rule", { ...profile(text), recommend: [{ profile: "p", priority: 1 }] }, []],
  ["a rule for a built-in profile", { recommend: [{ profile: "openshift-node", priority: 1 }] }, []],
  [
    "a rule for a profile that does not exist",
    { recommend: [{ profile: "nowhere", priority: 1 }] },
    [`error: recommend[0].profile: profile "nowhere" does not exist; ${unused}`],
  ],
  [
    "a rule for an impossible name",
    { recommend: [{ profile: "../../x", priority: 1 }] },
    [`error: recommend[0].profile: "../../x" is not a valid name of a profile; ${unused}`],
  ],
  [
    "an include that does not exist",
    { ...profile("[main]\ninclude=nowhere\n"), recommend: [{ profile: "p", priority: 1 }] },
    [
      'error: profile[0].data:2: profile "nowhere" does not exist; no node can use the profile',
      `error: recommend[0].profile: p/tuned.conf:2: profile "nowhere" does not exist; ${unused}`,
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
    [expect.stringMatching(/^error: profile\[0\]\.data:1: .*; no node can use the profile$/) as string],
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
    "a misspelt include",
    profile("[main]\ninlcude=openshift-node\n"),
    ['warning: profile[0].data:2: [main] inlcude has no effect; did you mean "include"?'],
  ],
  [
    "sysctls that are not in the list, or written with slashes",
    profile(
      "[sysctl]\nnet.ipv4.neigh.default.gc_thresh4=1\nnet.ipv6.conf.all.forwarding=1\nnet/ipv4/ip_forward=1\nkernel.own_module=1\nnet.ipv4.conf.eth0/100.rp_filter=1\n${key}=1\n",
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

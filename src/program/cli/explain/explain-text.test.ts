import { coloursOf } from "../terminal/terminal.ts";
import { describe, expect, it } from "vitest";
import type { NodeExplanation } from "../../../domain/node-tuning/explain/explain-node.ts";
import { explanationText } from "./explain-text.ts";

const condition = (type: string, status: "True" | "False", reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const explanation: NodeExplanation = {
  node: "n1",
  profile: "p",
  obstacles: [],
  pools: ["rt", "worker"],
  deferred: "always",
  reported: {
    profile: "p",
    current: true,
    conditions: [
      condition("Applied", "True", "AsExpected", "TuneD profile applied."),
      condition("Degraded", "True", "TunedError", "p/tuned.conf:3: a: no"),
    ],
  },
  rules: [
    { tuned: "x", index: 0, profile: "q", priority: 5, outcome: "no match", because: "label y is missing" },
    { tuned: "t", index: 1, profile: "p", priority: 10, outcome: "chosen", because: "the node has label z" },
    { tuned: "u", index: 0, profile: "r", priority: 10, outcome: "tied", because: "it matches every node" },
  ],
  tuneds: [
    { name: "t", conditions: [{ type: "Valid", status: "True", reason: "AsExpected", message: "" }] },
    { name: "u", conditions: [{ type: "Valid", status: "False", reason: "InvalidConfiguration", message: "wrong" }] },
  ],
  chain: [
    { profile: "base", file: "/usr/lib/base/tuned.conf", tuneds: [] },
    { profile: "p", file: "p/tuned.conf", tuneds: ["t"], include: { text: "base", line: 2, names: ["base"] } },
  ],
  settings: [
    {
      unit: "sysctl",
      option: "a",
      wanted: "1",
      from: "p/tuned.conf:3",
      overrides: [{ value: "0", from: "/usr/lib/base/tuned.conf:2" }],
      state: "failed",
      note: "no",
    },
    { unit: "sysctl", option: "b", wanted: "2", from: "p/tuned.conf:4", overrides: [], state: "as wanted" },
    { unit: "eth", option: "mtu", wanted: "9", from: "p/tuned.conf:6", overrides: [], state: "idle", note: "off" },
  ],
  unresolved: [{ type: "exec", argv: ["virt-what"] }],
  warnings: ["p/tuned.conf:9: odd"],
  boot: {
    wanted: ["quiet"],
    reported: "quiet",
    pool: "rt",
    machineConfig: { name: "50-nto-rt", kernelArguments: [] },
    pending: ["quiet"],
    reached: false,
    because: "The pool rt waits for node n2",
  },
};

it("an explanation begins with the answer, then has the reasons", () => {
  expect(explanationText(explanation, coloursOf(false)).split("\n")).toEqual([
    "Node:         n1",
    "Profile:      p",
    "Because:      Tuned t recommend[1], priority 10: the node has label z",
    "Tied with:    Tuned u recommend[0] (r)",
    "Pools:        rt, worker",
    "Deferred:     always: changes wait for the next restart",
    "Reported:     p is in force, except for boot arguments, which do not reach the node",
    "              Applied=True (AsExpected): TuneD profile applied.",
    "              Degraded=True (TunedError): p/tuned.conf:3: a: no",
    "Warnings:     p/tuned.conf:9: odd",
    "Unresolved:   the output of `virt-what`",
    "",
    "Rules, in the order in which they are tried",
    "  PRIORITY   RULE             PROFILE   OUTCOME    BECAUSE",
    "  5          x recommend[0]   q         no match   label y is missing",
    "→ 10         t recommend[1]   p         chosen     the node has label z",
    "  10         u recommend[0]   r         tied       it matches every node",
    "",
    "Conditions of Tuneds",
    "TUNED   CONDITION     REASON                 MESSAGE",
    "u       Valid=False   InvalidConfiguration   wrong",
    "",
    "Profiles, each overriding those above it",
    "PROFILE   FROM         FILE                       INCLUDES",
    "base      every node   /usr/lib/base/tuned.conf",
    "p         Tuned t      p/tuned.conf:2             base",
    "",
    "Settings",
    "OPTION           WANTED   STATE    FROM                         NOTE",
    "[sysctl]",
    "  a              1        failed   p/tuned.conf:3               no",
    "    instead of   0                 /usr/lib/base/tuned.conf:2",
    "  b              2        ✓        p/tuned.conf:4",
    "",
    "✓ the node has it",
    "",
    "Boot arguments",
    "Wanted:       quiet",
    "Reported:     all of them",
    "Pool:         rt",
    "Configured:   none (MachineConfig 50-nto-rt)",
    "Running:      without any of them",
    "Reaches it:   no",
    "              The pool rt waits for node n2",
    "",
  ]);
});

it("settings whose table is wider than the terminal have lines of their own, without values that override themselves", () => {
  const settings: NodeExplanation["settings"] = [
    {
      unit: "sysctl",
      option: "kernel.hung_task_timeout_secs",
      wanted: "600",
      actual: "120",
      from: "openshift-node-performance-low-latency/tuned.conf:43",
      overrides: [
        { value: "${seconds}", from: "/usr/lib/attune/profiles/openshift/tuned.conf:13" },
        { value: "600", from: "/usr/lib/attune/profiles/network-latency/tuned.conf:13" },
      ],
      state: "different",
      note: "changed by another process since it was applied",
    },
  ];
  const { boot: _, ...others } = explanation;
  const lines = explanationText({ ...others, settings }, coloursOf(false), { columns: 80 }).split("\n");
  expect(lines.slice(lines.indexOf("Settings") + 1)).toEqual([
    "[sysctl]",
    "  kernel.hung_task_timeout_secs = 600   differs: 120",
    "      openshift-node-performance-low-latency/tuned.conf:43: changed by another",
    "      process since it was applied",
    "      instead of a value that depends on the node, …/openshift/tuned.conf:13",
    "",
  ]);
});

it.each([80, 140])(
  "rules, profiles and conditions have lines of their own on a terminal of %i columns: no name breaks",
  (columns) => {
    const name = "openshift-node-performance-low-latency";
    const role = "machineconfiguration.openshift.io/role=low-latency";
    const text = explanationText(
      {
        ...explanation,
        rules: [
          {
            tuned: name,
            index: 0,
            profile: name,
            priority: 20,
            outcome: "chosen",
            because: `the node is in the pool low-latency, which takes MachineConfigs with ${role}`,
          },
          {
            tuned: "default",
            index: 1,
            profile: "openshift-node",
            priority: 40,
            outcome: "lower priority",
            because: "it matches every node",
          },
        ],
        tuneds: [
          {
            name,
            conditions: [
              {
                type: "Valid",
                status: "False",
                reason: "InvalidConfiguration",
                message: "profile low-latency is defined twice, with other texts: nodes keep their current profile",
              },
            ],
          },
        ],
        chain: [
          { profile: "openshift-node", file: "/usr/lib/attune/profiles/openshift-node/tuned.conf", tuneds: [] },
          {
            profile: name,
            file: `${name}/tuned.conf`,
            tuneds: [name],
            include: { text: "openshift-node", line: 4, names: ["openshift-node", "cpu-partitioning"] },
          },
        ],
        settings: [],
      },
      coloursOf(false),
      { columns },
    );
    const lines = text.split("\n");
    expect(lines.filter(({ length }) => length > columns)).toEqual([]);
    const part = lines.slice(
      lines.indexOf("Rules, in the order in which they are tried"),
      lines.indexOf("Boot arguments"),
    );
    const isNarrow = columns === 80;
    expect(part).toEqual([
      "Rules, in the order in which they are tried",
      `→ 20   ${name} recommend[0]: chosen`,
      `       profile ${name}`,
      ...(isNarrow
        ? ["       the node is in the pool low-latency, which takes MachineConfigs with", `       ${role}`]
        : [`       the node is in the pool low-latency, which takes MachineConfigs with ${role}`]),
      "  40   default recommend[1]: matches, lower priority",
      "       profile openshift-node",
      "       it matches every node",
      "",
      "Conditions of Tuneds",
      `${name}: Valid=False (InvalidConfiguration)`,
      ...(isNarrow
        ? ["    profile low-latency is defined twice, with other texts: nodes keep their", "    current profile"]
        : ["    profile low-latency is defined twice, with other texts: nodes keep their current profile"]),
      "",
      "Profiles, each overriding those above it",
      ...(isNarrow
        ? [
            "openshift-node",
            "    …/openshift-node/tuned.conf",
            name,
            `    Tuned ${name},`,
            `    ${name}/tuned.conf:4`,
            "    includes openshift-node, cpu-partitioning",
          ]
        : [
            "openshift-node",
            "    …/openshift-node/tuned.conf",
            name,
            `    Tuned ${name}, ${name}/tuned.conf:4`,
            "    includes openshift-node, cpu-partitioning",
          ]),
      "",
    ]);
  },
);

describe("boot arguments", () => {
  const wanted = Array.from({ length: 20 }, (_, at) => `argument.number_${at}=value`);
  const line = wanted.join(" ");
  const rt = { name: "50-nto-rt", kernelArguments: wanted };
  const reached = { wanted, reported: line, pool: "rt", machineConfig: rt, pending: wanted, reached: true };
  const agreed = {
    type: "BootArguments",
    status: "True",
    reason: "Agreed",
    message: `MachineConfig 50-nto-rt: ${line}`,
  };
  const dropped = `Tuned t recommend[1] matches node n1 by match, so the boot arguments ${JSON.stringify(line)} reach no node`;
  const textOf = (boot: NonNullable<NodeExplanation["boot"]>, columns?: number): string =>
    explanationText(
      { ...explanation, boot, tuneds: [{ name: "t", conditions: [agreed as never] }] },
      coloursOf(false),
      { columns },
    );

  it.each([80, 120, undefined])("are printed once, in lines that fit %s columns", (columns) => {
    const text = textOf({ ...reached, because: agreed.message }, columns);
    expect(text.split("argument.number_7=value")).toHaveLength(2);
    const lines = text.split("\n");
    const section = lines.slice(lines.indexOf("Boot arguments") + 1);
    expect(Math.max(...section.map(({ length }) => length))).toBeLessThanOrEqual(columns === 80 ? 80 : 110);
    expect(section.slice(-7)).toEqual([
      "Reported:     all of them",
      "Pool:         rt",
      "Configured:   all of them (MachineConfig 50-nto-rt)",
      "Running:      without any of them, until the node restarts",
      "Reaches it:   yes",
      "              MachineConfig 50-nto-rt",
      "",
    ]);
  });

  it("that wait for a restart are not in force", () => {
    expect(textOf({ ...reached, because: agreed.message })).toContain(
      "Reported:     p is in force, except for boot arguments, which need a restart\n",
    );
  });

  it("that reach no node wait for no restart", () => {
    const text = textOf({ ...reached, reached: false, because: dropped });
    expect(text).not.toContain("restarts");
    expect(text).toContain(
      "Running:      without any of them\nReaches it:   no\n" +
        "              Tuned t recommend[1] matches node n1 by match, so the boot arguments reach no node\n",
    );
  });
});

it("a node that is away has what it reported last", () => {
  const { boot: _, ...ready } = explanation;
  expect(explanationText({ ...ready, notReady: true }, coloursOf(false))).toContain(
    "Reported:     p was in force before the node became NotReady\n",
  );
});

it("says what waits for what, what the node cannot have, and what its PerformanceProfiles do", () => {
  const text = explanationText(
    {
      ...explanation,
      waits: ["pool rt is paused: the node gets r-2 when spec.paused is false"],
      findings: ["containerd does not honour the annotation a of pods"],
      performanceProfiles: [
        { name: "fast", state: "available", reason: "AsExpected", message: "" },
        { name: "slow", state: "degraded", reason: "MCPDegraded", message: "MachineConfigPool rt: no" },
      ],
    },
    coloursOf(false),
  );
  expect(text.split("\n").slice(5, 9)).toEqual([
    "Waits:         pool rt is paused: the node gets r-2 when spec.paused is false",
    "Findings:      containerd does not honour the annotation a of pods",
    "Performance:   PerformanceProfile fast is available",
    "               PerformanceProfile slow is degraded (MCPDegraded): MachineConfigPool rt: no",
  ]);
});

it("wide adds idle settings", () => {
  const wide = explanationText(explanation, coloursOf(false), { wide: true });
  expect(wide).toMatch(/^\[eth\]\n {2}mtu +9 +idle +p\/tuned.conf:6 +off$/m);
});

it("a node without a profile has a short explanation", () => {
  const none = { rules: [], tuneds: [], chain: [], settings: [], unresolved: [], warnings: [], pools: [] };
  const text = explanationText({ node: "n", obstacles: ["It is away."], ...none }, coloursOf(false));
  expect(text.split("\n")).toEqual([
    "Node:       n",
    "Profile:    none",
    "But:        It is away.",
    "Reported:   nothing yet",
    "",
  ]);
});

it("control characters of objects are escaped", () => {
  const rules: NodeExplanation["rules"] = [
    { tuned: "t", index: 0, profile: "\u001B[2J", priority: 1, outcome: "chosen", because: "label \u0007 is there" },
  ];
  const text = explanationText({ ...explanation, rules }, coloursOf(false));
  expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

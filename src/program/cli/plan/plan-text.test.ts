import { coloursOf } from "../terminal/terminal.ts";
import { describe, expect, it, test } from "vitest";
import type { NodeChange } from "../../../domain/plan/node-changes.ts";
import type { PoolChange, PoolUpdate } from "../../../domain/plan/pool-change.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { planText } from "./plan-text.ts";
import { actionsText } from "./pool-text.ts";

const nothing: PlanDocument = {
  nodes: 20,
  objects: [],
  pools: [],
  skipped: [],
  changes: [],
  boot: [],
  findings: [],
};

const plain = (document: Partial<PlanDocument>, wide = false): string[] =>
  planText({ ...nothing, ...document }, coloursOf(false), { wide }).split("\n");

function nodes(...names: string[]): NodeChange {
  const none = { settings: [], options: [], unresolved: [], problems: [], warnings: [] };
  return { nodes: names, before: "a", after: "b", ...none };
}

it("an empty plan is one line", () => {
  expect(plain({})).toEqual(["Nothing would change.", ""]);
});

test.each([
  [["n1"], false, "Node n1: profile a → b"],
  [["n1", "n2", "n3", "n4"], false, "Nodes n1, n2, n3, n4: profile a → b"],
  [["n1", "n2", "n3", "n4", "n5"], false, "Nodes n1, n2, n3 and 2 more: profile a → b"],
  [["n1", "n2", "n3", "n4", "n5"], true, "Nodes n1, n2, n3, n4, n5: profile a → b"],
])("names the first of nodes %j", (names, wide, expected) => {
  expect(plain({ changes: [nodes(...names)] }, wide)[0]).toBe(expected);
});

it("settings are listed by unit, with their old value and the line that sets them", () => {
  const change: NodeChange = {
    ...nodes("n1"),
    settings: [
      {
        unit: "sysctl",
        option: "a",
        before: { value: "1", from: "p/tuned.conf:2" },
        after: { value: "2", from: "q/tuned.conf:2" },
      },
      { unit: "sysctl", option: "b", before: { value: "3", from: "p/tuned.conf:3" } },
      { unit: "net", option: "mtu", after: { value: "9000", from: "q/tuned.conf:5" } },
    ],
    options: [{ option: "debug", before: "false", after: "true" }],
    deferred: "update",
    unresolved: [{ type: "exec", argv: ["virt-what"] }],
  };
  expect(plain({ changes: [change] })).toEqual([
    "Node n1: profile a → b",
    "  deferred (update): waits for the next restart of the node",
    "  not evaluated: depends on the output of `virt-what` on the node",
    "  OPTION     BEFORE   AFTER                     FROM",
    "  [sysctl]",
    "  ~ a        1        2                         q/tuned.conf:2",
    "  - b        3        as it was before tuning   p/tuned.conf:3",
    "  [net]",
    "  + mtu               9000                      q/tuned.conf:5",
    "  agent",
    "  ~ debug    false    true",
    "",
    "Plan: 0 to create, 0 to change; 1 of 20 nodes change; none reboots. Nothing has been changed.",
    "",
  ]);
});

it("settings and titles fit a terminal of 80 columns, and no name breaks", () => {
  const from = "/usr/lib/attune/profiles/cpu-partitioning/tuned.conf";
  const name = "openshift-node-performance-low-latency";
  const change: NodeChange = {
    ...nodes("n1"),
    settings: [
      {
        unit: "sysfs",
        option: "/sys/bus/workqueue/devices/writeback/cpumask",
        before: { value: "00000001", from: `${from}:23` },
        after: { value: "00000003", from: `${from}:23` },
      },
      { unit: "bootloader", option: "cmdline_cpu_part", before: { value: "+nohz=on", from: `${name}/tuned.conf:63` } },
    ],
  };
  const object = { kind: "Tuned", namespace: "openshift-cluster-node-tuning-operator", name, diff: "@@ -1 +1 @@" };
  const objects = [
    { ...object, place: "derived from PerformanceProfile low-latency", change: "change", derived: true },
  ];
  const boot = [{ machineConfig: "50-nto-a-pool-with-a-name", pools: ["a-pool-with-a-name"], after: ["quiet"] }];
  const document = { ...nothing, objects, changes: [change], boot } as PlanDocument;
  expect(planText(document, coloursOf(false), { columns: 80 }).split("\n")).toEqual([
    "~ Tuned",
    `  openshift-cluster-node-tuning-operator/${name}`,
    "  would be changed by the operator (derived from PerformanceProfile low-latency)",
    "@@ -1 +1 @@",
    "",
    "Node n1: profile a → b",
    "  [sysfs]",
    "  ~ /sys/bus/workqueue/devices/writeback/cpumask",
    "      before   00000001",
    "      after    00000003",
    "      from     …/cpu-partitioning/tuned.conf:23",
    "  [bootloader]",
    "  - cmdline_cpu_part",
    "      before   +nohz=on",
    "      after    as it was before tuning",
    `      from     ${name}/tuned.conf:63`,
    "",
    "Boot arguments of the pool a-pool-with-a-name (MachineConfig",
    "  50-nto-a-pool-with-a-name is created)",
    "  before   none",
    "  after    quiet",
    "",
    "Plan: 0 to create, 0 to change, 1 by the operator; then 1 of 20 nodes change;",
    "  none reboots. Nothing has been changed.",
    "",
  ]);
});

describe("boot arguments", () => {
  const boot = { machineConfig: "50-nto-rt", pools: ["rt"] };

  it("are shown before and after", () => {
    const text = plain({ boot: [{ ...boot, before: ["quiet", "a=1"], after: ["quiet", "a=2"] }] });
    expect(text.slice(0, 3)).toEqual([
      "Boot arguments of the pool rt (MachineConfig 50-nto-rt changes)",
      "  before   quiet a=1",
      "  after    quiet a=2",
    ]);
  });

  it("are wrapped", () => {
    const after = Array.from({ length: 20 }, (_, at) => `argument.number=${at}`);
    const text = plain({ boot: [{ ...boot, after }] });
    expect(text[2]).toMatch(/^ {2}after {4}argument\.number=0 .* argument\.number=4$/);
    expect(text[3]).toMatch(/^ {11}argument\.number=5 /);
    expect(text.join(" ")).toMatch(/argument\.number=19 /);
  });

  it("can be removed", () => {
    expect(plain({ boot: [{ ...boot, before: ["quiet"] }] }).slice(0, 3)).toEqual([
      "Boot arguments of the pool rt (MachineConfig 50-nto-rt is deleted)",
      "  before   quiet",
      "  after    none",
    ]);
  });

  it("colour only the arguments that differ", () => {
    const document = { ...nothing, boot: [{ ...boot, before: ["quiet", "a"], after: ["quiet", "b"] }] };
    const text = planText(document, coloursOf(true));
    expect(text).toContain("quiet \u001B[31ma\u001B[39m\n");
    expect(text).toContain("quiet \u001B[32mb\u001B[39m\n");
  });
});

describe("a diff", () => {
  const diff = "@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: \u001B[2J3\n";
  const object = { place: "f.yaml", kind: "Tuned", namespace: "ns", name: "t", change: "change", diff } as const;

  it("is coloured by line, with control characters escaped", () => {
    const text = planText({ ...nothing, objects: [object] }, coloursOf(true)).split("\n");
    expect(text.slice(1, 5)).toEqual([
      "\u001B[36m@@ -1,2 +1,2 @@\u001B[39m",
      " a: 1",
      "\u001B[31m-b: 2\u001B[39m",
      "\u001B[32m+b: \\u{1b}[2J3\u001B[39m",
    ]);
  });

  it("is left out where nothing changes", () => {
    const same = { ...object, change: "none", diff: "" } as const;
    expect(plain({ objects: [same] })).toEqual([
      "= Tuned ns/t stays as it is (f.yaml)",
      "",
      "Nothing would change.",
      "",
    ]);
  });
});

it("findings and skipped objects come last, in columns", () => {
  expect(
    plain({
      findings: [
        { severity: "error", about: "profile p", message: "gone" },
        { severity: "note", about: "Tuned t", message: "idle" },
      ],
      skipped: [{ place: "f.yaml", kind: "ConfigMap", name: "c", because: "not used for tuning" }],
    }),
  ).toEqual([
    "Findings",
    "error   profile p   gone",
    "note    Tuned t     idle",
    "",
    "Skipped",
    "ConfigMap c   not used for tuning   f.yaml",
    "",
    "Nothing would change.",
    "",
  ]);
});

it("a finding that does not fit the terminal has lines of its own", () => {
  const message =
    "spec.machineConfigPoolSelector: selects no MachineConfigPool: its matchLabels are compared with labels";
  const findings = [{ severity: "error", about: "KubeletConfig more-pods", message }] as const;
  const text = planText({ ...nothing, findings }, coloursOf(false), { columns: 80 }).split("\n");
  expect(text.slice(0, 4)).toEqual([
    "Findings",
    "error: KubeletConfig more-pods",
    "    spec.machineConfigPoolSelector: selects no MachineConfigPool: its",
    "    matchLabels are compared with labels",
  ]);
});

describe("pools", () => {
  const update = { nodes: ["n1", "n2"], contents: [], because: [] };
  const reboot = { ...update, level: "reboot", drain: true, actions: [{ type: "Reboot" }] } as const;
  const change: PoolChange = {
    pool: "rt",
    config: "rendered-rt-1",
    objects: [
      { kind: "MachineConfig", name: "50-performance-x", change: "create" },
      { kind: "KubeletConfig", name: "performance-x", change: "change" },
    ],
    updates: [reboot],
    order: ["n1", "n2"],
    atOnce: 1,
    waits: [],
  };

  it("show what changes on nodes, what they do for it and why, in 80 columns", () => {
    const contents = [
      { type: "boot argument", name: "nohz=on", change: "add" },
      { type: "setting", name: "kernel type default → realtime", change: "change" },
      { type: "file", name: "/etc/own.conf", change: "remove" },
    ] as const;
    const pools = [{ ...change, updates: [{ ...reboot, contents, because: ["boot arguments", "/etc/own.conf"] }] }];
    const text = planText({ ...nothing, pools }, coloursOf(false), { columns: 80 }).split("\n");
    expect(text).toEqual([
      "Pool rt gets another config",
      "  (MachineConfig 50-performance-x is created, KubeletConfig performance-x",
      "    changes)",
      "  Nodes n1, n2: drain, reboot, one at a time, in this order",
      "    because of boot arguments, /etc/own.conf",
      "    + boot argument nohz=on",
      "    ~ kernel type default → realtime",
      "    - file /etc/own.conf",
      "",
      "Plan: 0 to create, 0 to change; 2 of 20 nodes change; 2 reboot. Nothing has",
      "  been changed.",
      "",
    ]);
  });

  it("say once how many nodes change at a time, and in which order, where not all do the same", () => {
    const contents = [{ type: "file", name: "/etc/own.conf", change: "add" }] as const;
    const updates = [
      { ...reboot, nodes: ["n1", "n3"], contents },
      { ...reboot, nodes: ["n2"], contents },
    ];
    const order = ["n1", "n2", "n3"];
    expect(plain({ pools: [{ ...change, objects: [], updates, order, atOnce: 2 }] }).slice(0, 6)).toEqual([
      "Pool rt gets another config",
      "  Nodes n1, n3: drain, reboot",
      "    + file /etc/own.conf",
      "  Node n2: drain, reboot",
      "    + file /etc/own.conf",
      "  2 at a time, in this order: n1, n2, n3",
    ]);
  });

  it("without nodes ask nothing of a node", () => {
    const contents = [{ type: "file", name: "/etc/own.conf", change: "add" }] as const;
    const objects = [{ kind: "MachineConfigPool", name: "rt", change: "create" }] as const;
    const empty = { ...reboot, nodes: [], contents, because: ["/etc/own.conf"] };
    expect(plain({ pools: [{ ...change, objects, updates: [empty], order: [] }] }).slice(0, 4)).toEqual([
      "Pool rt gets its first config",
      "  (MachineConfigPool rt is created)",
      "  No node is in it.",
      "    + file /etc/own.conf",
    ]);
  });

  it("name who waits for what, the first three", () => {
    const waits = ["a", "b", "c", "d", "e"].map((name) => ({
      reason: "NodeCordoned",
      message: `node ${name} is cordoned`,
    }));
    expect(plain({ pools: [{ ...change, waits }] }).slice(3, 7)).toEqual([
      "  waits: node a is cordoned",
      "  waits: node b is cordoned",
      "  waits: node c is cordoned",
      "  … and 2 more, shown by -o wide",
    ]);
  });

  test.each<[Pick<PoolUpdate, "level" | "drain" | "actions">, string]>([
    [{ level: "nothing", drain: false, actions: [{ type: "None" }] }, "nothing is restarted"],
    [{ level: "reload", drain: false, actions: [{ type: "Reload", service: "crio.service" }] }, "reload crio.service"],
    [
      {
        level: "restart",
        drain: false,
        actions: [{ type: "DaemonReload" }, { type: "Restart", service: "a.service" }],
      },
      "reload systemd, restart a.service",
    ],
    [
      { level: "drain", drain: true, actions: [{ type: "Drain" }, { type: "Restart", service: "kubelet.service" }] },
      "drain, restart kubelet.service",
    ],
    [{ level: "drain", drain: true, actions: [{ type: "Special" }] }, "drain, reload crio.service"],
    [{ level: "reboot", drain: true, actions: [{ type: "Reboot" }] }, "drain, reboot"],
  ])("say what a node does: %j", (cost, expected) => {
    expect(actionsText(cost)).toBe(expected);
  });

  it("count nodes that reboot and nodes that are only drained", () => {
    const drain = { ...update, nodes: ["n3"], level: "drain", drain: true, actions: [{ type: "Drain" }] } as const;
    expect(plain({ pools: [{ ...change, updates: [reboot, drain] }] }).at(-2)).toContain(
      "3 of 20 nodes change; 1 is drained; 2 reboot. ",
    );
  });
});

describe("objects", () => {
  const diff = ["@@ -0,0 +1,60 @@", ...Array.from({ length: 60 }, (_, at) => `+line ${at}`)].join("\n");
  const object = { place: "f", kind: "Tuned", name: "t", diff };

  it("that are new and long are cut", () => {
    const text = plain({ objects: [{ ...object, change: "create" }] });
    expect([text[1], text[20], text[21]]).toEqual([
      "@@ -0,0 +1,60 @@",
      "+line 18",
      "  … and 41 lines more, shown by -o wide",
    ]);
    expect(plain({ objects: [{ ...object, change: "create" }] }, true)).toContain("+line 59");
  });

  it("that change are shown in full", () => {
    expect(plain({ objects: [{ ...object, change: "change" }] })).toContain("+line 59");
  });
});

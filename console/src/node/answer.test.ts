import { expect, it } from "vitest";
import type { NodeAbout, NodeFleetRow, NodeSetting } from "../../protocol/node.ts";
import { nodeAnswer } from "./answer.ts";
import { replacedText, sourceText } from "./setting-words.ts";

const at = "2026-01-02T03:12:00";
const now = Date.parse("2026-01-02T04:00:00");
const row = { state: "As wanted", because: "" } as NodeFleetRow;
const setting = (state: NodeSetting["state"], since?: string): NodeSetting => ({
  unit: "u",
  option: "o",
  wanted: "1",
  overrides: [],
  from: "f:1",
  state,
  at: 0,
  ...(since ? { since } : {}),
});
const answer = (states: readonly NodeSetting[], more: Partial<NodeFleetRow> = {}, obstacles: string[] = []) =>
  nodeAnswer(
    "n",
    {
      row: { ...row, ...more },
      about: { obstacles } as unknown as NodeAbout,
      chain: [],
      settings: states,
      texts: new Map(),
    },
    now,
  );

it.each([
  [
    "all is as wanted",
    [setting("as wanted"), setting("boot"), setting("skipped")],
    {},
    [],
    "n: all 2 settings are as wanted",
  ],
  [
    "one differs",
    [setting("different", at), setting("as wanted"), setting("idle")],
    {},
    [],
    "n: 1 of 2 settings differs since 03:12",
  ],
  [
    "some failed, and one was set back",
    [setting("failed", at), setting("failed", "2026-01-01T09:00:00"), setting("as wanted", at)],
    { state: "Degraded" as const },
    [],
    "n: 2 of 3 settings failed since 1 Jan 09:00",
  ],
  [
    "one was set back",
    [setting("as wanted", at)],
    { state: "Drifted" as const },
    [],
    "n: 1 of 1 settings was changed by another process and set back at 03:12",
  ],
  [
    "it waits",
    [setting("as wanted")],
    { state: "Waiting for reboot" as const, because: "it gets rendered-b" },
    [],
    "n: waiting for reboot: it gets rendered-b",
  ],
  [
    "something is in the way",
    [],
    { state: "Applying" as const, because: "x" },
    ["Tuning is removed."],
    "n: tuning is removed",
  ],
])("the answer where %s", (_, settings, more, obstacles, expected) => {
  expect(answer(settings, more, obstacles)).toBe(expected);
});

it("is not known without the row", () => {
  expect(nodeAnswer("n", { chain: [], settings: [], texts: new Map() }, now)).toBeUndefined();
});

const chain = [
  { profile: "base", file: "/lib/base/tuned.conf", tuneds: [] },
  { profile: "quiet", file: "quiet/tuned.conf", tuneds: ["quiet"] },
  { profile: "loud", file: "loud/tuned.conf", tuneds: ["pair"] },
];

it.each([
  ["quiet/tuned.conf:4", "Tuned quiet, line 4"],
  ["loud/tuned.conf:12", "Tuned pair, loud, line 12"],
  ["/lib/base/tuned.conf:3", "base, line 3"],
  ["elsewhere", "elsewhere"],
  ["/etc/other.conf:3", "/etc/other.conf:3"],
])("%s is shown as %s", (from, expected) => {
  expect(sourceText(from, chain)).toBe(expected);
});

it("values that were replaced come last first, without those that are the same", () => {
  const overrides = [
    { value: "60", from: "/lib/base/tuned.conf:3" },
    { value: "${f:x}", from: "loud/tuned.conf:1" },
    { value: "10", from: "loud/tuned.conf:2" },
  ];
  expect(replacedText({ ...setting("as wanted"), wanted: "10", overrides }, chain)).toEqual([
    "replaced a value that depends on the node (Tuned pair, loud, line 1)",
    "replaced 60 (base, line 3)",
  ]);
});

import { expect, test } from "vitest";
import type { FleetRow, FleetState } from "./fleet-row.ts";
import { fleetSentence, groupRows, summarise } from "./fleet-summary.ts";

const row = (state: FleetState, pool = "worker"): FleetRow => ({
  name: "n",
  ready: true,
  cordoned: false,
  pool,
  profile: "p",
  inForce: "p",
  state,
  because: "",
  drift: 0,
  reboot: state === "Waiting for reboot",
});
const many = (n: number, state: FleetState): FleetRow[] => Array.from({ length: n }, () => row(state));

test.each<[FleetRow[], string]>([
  [[], "The cluster has no Linux nodes"],
  [many(1, "As wanted"), "The node is as wanted"],
  [many(1234567, "As wanted"), "All 1,234,567 nodes are as wanted"],
  [many(1, "Unknown"), "0 of 1 node is as wanted; 1 is unknown"],
  [
    [...many(4987, "As wanted"), ...many(9, "Waiting for reboot"), ...many(3, "Drifted"), row("Degraded")],
    "4,987 of 5,000 nodes are as wanted; 9 wait for a reboot; 4 need you",
  ],
  [[row("Waiting for config")], "0 of 1 node is as wanted; 1 waits for its config"],
  [
    [...many(3, "As wanted"), ...many(2, "Waiting for config"), row("Waiting for reboot")],
    "3 of 6 nodes are as wanted; 2 wait for their configs; 1 waits for a reboot",
  ],
  [
    [...many(2, "Applying"), ...many(2, "Unknown"), row("Degraded")],
    "0 of 5 nodes are as wanted; 2 are being changed; 2 are unknown; 1 needs you",
  ],
])("nodes in one sentence: %#", (rows, expected) => {
  expect(fleetSentence(summarise(rows))).toBe(expected);
});

test("groups are sorted by name, and by what needs a person", () => {
  const rows = [row("As wanted", "b"), row("Degraded", "a"), row("Drifted", "b"), row("As wanted", "")];
  const sizes = (by: "pool" | "state"): [string, number][] =>
    groupRows(rows, by).map(({ name, summary }) => [name, summary.nodes]);
  expect(sizes("pool")).toEqual([
    ["", 1],
    ["a", 1],
    ["b", 2],
  ]);
  expect(sizes("state").map(([name]) => name)).toEqual(["Degraded", "Drifted", "As wanted"]);
  expect(groupRows(rows, "pool")[2]?.summary).toMatchObject({ nodes: 2, reboots: 0, states: { Drifted: 1 } });
});

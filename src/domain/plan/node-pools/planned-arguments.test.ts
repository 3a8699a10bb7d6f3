import { expect, it } from "vitest";
import { plannedArguments } from "./planned-arguments.ts";

const affinity = "systemd.cpu_affinity=${f:cpulist_online:0}";

it.each<[string, Parameters<typeof plannedArguments>, readonly string[] | undefined]>([
  [
    "stay as nodes report them where the texts of Tuneds give the same",
    [["a=1", "x=0"], [affinity], [affinity]],
    undefined,
  ],
  [
    "change by what the texts change",
    [
      ["iommu=pt", "a=1", "b"],
      ["a=1", "b"],
      ["a=2", "b"],
    ],
    ["iommu=pt", "b", "a=2"],
  ],
  ["go with their text", [["iommu=pt", "a=1"], ["a=1"], []], ["iommu=pt"]],
  [
    "have no value where it depends on the node",
    [
      ["systemd.cpu_affinity=0", "a"],
      [affinity, "a"],
      ["systemd.cpu_affinity=${f:cpulist_online:0-1}", "a"],
    ],
    ["a", "systemd.cpu_affinity=…"],
  ],
  ["go with a text that depends on the node", [["systemd.cpu_affinity=0", "a"], [affinity, "a"], ["a"]], ["a"]],
  ["are those of the text for a NodePool without any", [[], [], [affinity, "a=1"]], ["systemd.cpu_affinity=…", "a=1"]],
])("boot arguments of a NodePool %s", (_, [now, before, after], expected) => {
  expect(plannedArguments(now, before, after)).toEqual(expected);
});

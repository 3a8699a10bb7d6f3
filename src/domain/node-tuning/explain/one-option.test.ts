import { expect, test } from "vitest";
import type { NodeExplanation } from "./explain-node.ts";
import { onlyOption } from "./one-option.ts";

const from = "p/tuned.conf:1";
const explanation: NodeExplanation = {
  node: "n",
  profile: "p",
  obstacles: [],
  pools: ["rt"],
  rules: [],
  tuneds: [],
  chain: [{ profile: "p", file: from, tuneds: [] }],
  settings: [
    { unit: "sysctl", option: "vm.swappiness", wanted: "5", from, overrides: [], state: "as wanted" },
    { unit: "cpu", option: "governor", wanted: "performance", from, overrides: [], state: "as wanted" },
    { unit: "bootloader", option: "cmdline_a", wanted: "+nohz=on  nosmt", from, overrides: [], state: "boot" },
  ],
  unresolved: [],
  warnings: [],
  boot: { wanted: ["nohz=on", "nosmt", "isolcpus=1"], pending: [], reached: true, because: "" },
};

test.each([
  ["vm.swappiness", ["vm.swappiness"], false],
  ["governor", ["governor"], false],
  ["cpu.governor", ["governor"], false],
  ["nohz", ["cmdline_a"], true],
  ["nosmt", ["cmdline_a"], true],
  // Added by the operator, not by a line of the profile.
  ["isolcpus", [], true],
])("%s leaves %j, with boot arguments: %s", (option, settings, boot) => {
  const only = onlyOption(explanation, option);
  expect([only.settings.map((setting) => setting.option), only.boot !== undefined]).toEqual([settings, boot]);
});

test.each([
  ["swappiness", "nothing in profile p of node n sets swappiness; did you mean vm.swappiness?"],
  ["noh", "nothing in profile p of node n sets noh"],
  ["", "nothing in profile p of node n sets "],
])("%j is set by nothing", (option, message) => {
  expect(() => onlyOption(explanation, option)).toThrow(message);
});

test("a node without a profile says so", () => {
  const { profile: _, boot: __, ...none } = { ...explanation, settings: [] };
  expect(() => onlyOption(none, "x")).toThrow("node n has no profile, so nothing sets x");
});

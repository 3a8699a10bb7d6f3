import { expect, test } from "vitest";
import { didYouMean, nearNames } from "./near-names.ts";

const names = ["vm.swappiness", "vm.dirty_ratio", "quiet-memory-f7a0", "db-1", "db-2"];

test.each([
  ["vm.swapiness", ["vm.swappiness"]],
  ["vm.swappinses", ["vm.swappiness"]],
  ["swappiness", ["vm.swappiness"]],
  ["quiet-memory", ["quiet-memory-f7a0"]],
  ["db-3", ["db-1", "db-2"]],
  ["kernel.pid_max", []],
  // A short text is in too many names.
  ["v", []],
  ["db-1", ["db-2"]],
])("%s is near %j", (wanted, near) => {
  expect(nearNames(wanted, names)).toEqual(near);
});

test("at most three are asked about, and none where none is near", () => {
  const many = Array.from({ length: 9 }, (_, at) => `node-${at}`);
  expect([didYouMean("node-x", many), didYouMean("node-x", [])]).toEqual([
    "; did you mean node-0 or node-1 or node-2?",
    "",
  ]);
});

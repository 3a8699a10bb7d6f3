import { expect, test } from "vitest";
import { nearMiss } from "./near-miss.ts";

const known = ["vm.swappiness", "net.ipv4.ip_forward", "cpu"];

test.each([
  ["vm.swapiness", "vm.swappiness"],
  ["vm.swapppiness", "vm.swappiness"],
  ["vm.swappinses", "vm.swappiness"],
  ["vm.swappinesx", "vm.swappiness"],
  ["m.swappiness", "vm.swappiness"],
  ["vm.swappiness", undefined],
  ["vm.swaippinses", undefined],
  ["net.ipv6.ip_forward", undefined],
  ["cpa", undefined],
  ["", undefined],
])("%j is near %j", (word, expected) => {
  expect(nearMiss(word, known)).toBe(expected);
});

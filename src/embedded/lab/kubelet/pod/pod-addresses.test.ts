import { expect, test } from "vitest";
import { PodAddresses } from "./pod-addresses.ts";

test("pods of a node have different addresses, and a released address is used again", () => {
  const addresses = new PodAddresses(258);
  addresses.keep("10.1.2.2");
  expect([addresses.take(), addresses.take()]).toEqual(["10.1.2.1", "10.1.2.3"]);
  addresses.release("10.1.2.1");
  const more = Array.from({ length: 252 }, () => addresses.take());
  expect(new Set(more).size).toBe(252);
  expect(more).toContain("10.1.2.1");
  expect(addresses.take()).toMatch(/^10\.1\.2\./);
});

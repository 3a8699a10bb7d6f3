import { normalize } from "node:path/posix";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sysctlPath } from "./path.ts";

test.each([
  ["vm.swappiness", "/proc/sys/vm/swappiness"],
  ["net.ipv4.conf.eth0/100.forwarding", "/proc/sys/net/ipv4/conf/eth0.100/forwarding"],
  ["__proto__", "/proc/sys/__proto__"],
  ["", undefined],
  ["vm..swappiness", undefined],
  [".vm", undefined],
  ["a.//.b", undefined],
  ["//", undefined],
  ["vm.\0", undefined],
])("the sysctl %j is the file %j", (name, path) => {
  expect(sysctlPath(name)).toBe(path);
});

test("no name leads out of /proc/sys", () => {
  const names = fc.array(fc.constantFrom(".", "/", "a", "..", "//", "~", " "), { maxLength: 12 });
  fc.assert(
    fc.property(names, (parts) => {
      const path = sysctlPath(parts.join(""));
      if (path !== undefined) expect(normalize(path).startsWith("/proc/sys/")).toBe(true);
    }),
  );
});

import { expect, it } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { hostProfileNames } from "./host-profiles.ts";

it("a node reports its own profiles, not those that are built in or cannot be named", async () => {
  const host = new MemoryHost(new MemoryBase([]), new Map());
  for (const name of ["vendor-b", "vendor-a", "balanced", "with space"]) host.put(`/etc/tuned/${name}/tuned.conf`, "");
  host.put("/etc/tuned/tuned-main.conf", "");
  expect(await hostProfileNames(host)).toEqual(["vendor-a", "vendor-b"]);
});

it("a node with thousands of profiles reports the first ones", async () => {
  const host = new MemoryHost(new MemoryBase([]), new Map());
  for (let i = 0; i < 3000; i++) host.put(`/etc/tuned/mine-${i}/tuned.conf`, "");
  expect(await hostProfileNames(host)).toHaveLength(100);
});

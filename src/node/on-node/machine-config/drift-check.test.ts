import { expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { emptyContents } from "../../../domain/machine-config/machine-contents.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { WatchedHost } from "../../host/testing/watched-host.ts";
import { applyContents } from "./apply-contents.ts";
import { ConfigWatch } from "./config-watch.ts";
import { DriftCheck } from "./drift-check.ts";
import { watchedPaths } from "./watched-paths.ts";

const wants = "/etc/systemd/system/multi-user.target.wants/a.service";

async function world() {
  const host = new WatchedHost(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "boot\n"],
      ["/etc/systemd/system/multi-user.target.wants/b.service", ""],
    ]),
  );
  const clock = new VirtualClock();
  const watch = new ConfigWatch(host, clock);
  const over = new AbortController();
  let wakes = 0;
  watch.start(() => wakes++, over.signal);
  const file = { path: "/etc/x/a", mode: 0o644, bytes: new TextEncoder().encode("1") };
  const contents = {
    ...emptyContents,
    files: [file],
    units: [{ name: "a.service", isEnabled: false, dropins: [] }],
    users: [{ name: "core", keys: [], passwordHash: "x" }],
    kernelArguments: ["a"],
  };
  await applyContents({ contents: { ...emptyContents, files: [file] }, config: "rendered", host });
  let problems: readonly string[] = [];
  let isBroken = false;
  const updater = {
    watchedPaths: () => watchedPaths(contents, host),
    drift: async () => {
      if (isBroken) throw new Error("no answer");
      return { problems, findings: [] };
    },
  };
  const check = new DriftCheck({ updater, watch, clock, originsOf: async () => new Map() });
  return {
    host,
    clock,
    check,
    over,
    found: (...texts: string[]) => (problems = texts),
    broken: (is: boolean) => (isBroken = is),
    /** Wakes after the burst has ended. */
    wakesAfter: async (write: () => Promise<unknown>) => {
      const before = wakes;
      await write();
      await clock.advance(60_000);
      return wakes - before;
    },
  };
}

test.each([
  ["a file of the config", "/etc/x/a"],
  ["a folder above such files", "/efi/loader"],
  ["a link that enables a unit", wants],
  ["a boot loader entry", "/boot/loader/entries/any.conf"],
  ["the settings of GRUB", "/etc/default/grub"],
  ["the passwords", "/etc/shadow"],
])("a write to %s is noticed, once for a burst", async (_, path) => {
  const { host, check, wakesAfter, over } = await world();
  await check.of("rendered");
  expect(await wakesAfter(() => Promise.all([host.placeLink(path, { target: "/x" }), host.remove(path)]))).toBe(1);
  over.abort();
  expect(host.watched).toEqual([]);
});

test("a write to another file of the same folders is not", async () => {
  const { host, check, wakesAfter } = await world();
  await check.of("rendered");
  const others = ["/etc/x/b", "/etc/y", "/etc/systemd/system/multi-user.target.wants/b.service"];
  expect(await wakesAfter(() => Promise.all(others.map((path) => host.replace(path, ""))))).toBe(0);
});

test("a file that is written all the time is compared every ten seconds at most, and its report stays", async () => {
  const { host, clock, check, found, wakesAfter } = await world();
  found("storage.files /etc/x/a: is 2, expected 1");
  const { drifted } = await check.of("rendered");
  const wakes = await wakesAfter(async () => {
    for (let i = 0; i < 600; i++) {
      await host.replace("/etc/x/a", String(i));
      await clock.advance(100);
    }
  });
  expect(wakes).toBeLessThanOrEqual(5 + 12);
  found("storage.files /etc/x/a: is 600, expected 1", "storage.files /etc/x/b: is missing, expected 1");
  expect((await check.of("rendered")).drifted).toEqual([...drifted, "storage.files /etc/x/b: is missing, expected 1"]);
});

test("a comparison that failed is done again without another write", async () => {
  const { host, check, found, broken, wakesAfter } = await world();
  await check.of("rendered");
  found("storage.files /etc/x/a: is 2, expected 1");
  expect((await check.of("rendered")).drifted).toEqual([]);
  await wakesAfter(() => host.replace("/etc/x/a", "2"));
  broken(true);
  await expect(check.of("rendered")).rejects.toThrow("no answer");
  broken(false);
  expect((await check.of("rendered")).drifted).toHaveLength(1);
});

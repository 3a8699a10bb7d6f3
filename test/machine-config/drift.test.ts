import { expect, test } from "vitest";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import { serialQueue } from "../../src/node/host/serial-queue.ts";
import { NodeUpdater } from "../../src/node/on-node/machine-config/node-updater.ts";
import { driftText, longestReason } from "../../src/domain/rollout/node-annotations.ts";
import { type Config, updateTo } from "./testing/updated-machine.ts";

const config = (name: string, files: Record<string, string>): Config => ({
  name,
  spec: {
    config: {
      ignition: { version: "3.5.0" },
      storage: {
        files: Object.entries(files).map(([path, text]) => ({
          path,
          mode: 0o644,
          contents: { source: `data:,${text}` },
        })),
      },
    },
  },
});

test("drift is named, repaired when asked for, and blocks no update (machine-config W-12)", async () => {
  const host = machine(machineBase(smallMachine), "boot-1");
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  await updateTo(config("rendered-1", { "/etc/a": "1", "/etc/b": "1" }), host);
  expect(await updater.drift()).toEqual({ problems: [], findings: [] });
  await host.replace("/etc/a", "by hand", 0o600);
  const { problems } = await updater.drift();
  expect(problems).toEqual([
    expect.stringMatching(/^storage\.files \/etc\/a: is file of 7 .*mode 0600.*expected file of 1 /),
  ]);
  expect(await host.read("/etc/a")).toEqual({ type: "text", text: "by hand" });
  await updater.repair();
  expect(await updater.drift()).toEqual({ problems: [], findings: [] });
  expect(await host.read("/etc/a")).toEqual({ type: "text", text: "1" });
  await host.replace("/etc/a", "by hand");
  await updateTo(config("rendered-2", { "/etc/a": "1", "/etc/b": "2" }), host);
  expect(await host.read("/etc/b")).toEqual({ type: "text", text: "2" });
  expect(await updater.release()).toEqual([]);
  expect(await host.read("/etc/a")).toEqual({ type: "missing" });
});

const count = process.env["ATTUNE_LONG"] ? 10_000 : 100;

test(`drift of ${count} files is found and repaired, and its reason says how many there are (machine-config W-12)`, async () => {
  const host = machine(machineBase(smallMachine), "boot-1");
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  const paths = Array.from({ length: count }, (_, index) => `/etc/many/${index}`);
  await updateTo(config("rendered-1", Object.fromEntries(paths.map((path) => [path, "1"]))), host);
  for (const path of paths) await host.replace(path, "by hand");
  const { problems } = await updater.drift();
  expect(problems).toHaveLength(count);
  expect(await updater.watchedPaths()).toEqual(expect.arrayContaining(paths));
  const reason = driftText(problems);
  expect(reason.length).toBeLessThanOrEqual(longestReason);
  const more = Number(/; and (\d+) more$/.exec(reason)?.[1]);
  expect(more + reason.split("; storage.files").length).toBe(count);
  await updater.repair();
  expect(await updater.drift()).toEqual({ problems: [], findings: [] });
}, 300_000);

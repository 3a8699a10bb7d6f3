import { expect, test } from "vitest";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import { serialQueue } from "../../src/node/engine/serial-queue.ts";
import { NodeUpdater } from "../../src/node/on-node/machine-config/node-updater.ts";
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

import { expect, test } from "vitest";
import { machineConfigKind } from "../../../src/domain/machine-config/api.ts";
import { isDrained } from "../../../src/node/on-node/machine-config/update-phase.ts";
import { differences, fileState } from "../harness/guest-state.ts";
import type { Machine } from "../harness/machine.ts";
import type { Stage } from "../harness/stage.ts";
import { machineConfig } from "./machine-config.ts";
import { nodeUpdate, rolledOut } from "./rolled-out.ts";

const name = "99-cut";
const files = ["/etc/cut/one", "/etc/cut/two", "/usr/local/bin/three", "/etc/systemd/system.conf.d/cut.conf"];
const unit = "cut.service";
const textOf = (round: number): string => `# ${round}\n`;

const wanted = (round: number): object =>
  machineConfig(name, {
    files: Object.fromEntries(files.map((path) => [path, textOf(round)])),
    units: [
      {
        name: unit,
        enabled: true,
        contents: `${textOf(round)}[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n`,
      },
    ],
    kernelArguments: [`attune.cut=${round}`],
  });

/** The first line of each file, and the boot argument. */
async function roundsOn(machine: Machine): Promise<string[]> {
  const paths = [...files, `/etc/systemd/system/${unit}`];
  const lines = await machine.run(
    `for file in ${paths.join(" ")}; do if [ -e $file ]; then head -n1 $file; else echo absent; fi; done
    grep -o 'attune.cut=[0-9]*' /proc/cmdline || echo absent`,
  );
  return lines.split("\n").map((line) => line.replace(/^# |^attune\.cut=/, ""));
}

interface Update extends Stage {
  /** Of the guest's disk, from the drain to the restart. */
  readonly writes: number;
}

type Moment = (update: Update) => Promise<void>;

/** After a part of the writes of an update. */
const after =
  (part: number): Moment =>
  async ({ cluster, machine, writes }) => {
    await nodeUpdate(cluster, isDrained);
    await machine.cutPowerAtWrite((await machine.writes()) + part * writes);
  };

const moments: Record<string, Moment> = {
  "before the first write": after(0),
  "after a tenth of the writes": after(0.1),
  "after a quarter of the writes": after(0.25),
  "after half of the writes": after(0.5),
  "after three quarters of the writes": after(0.75),
  "when everything is written": async ({ cluster, machine }) => {
    await nodeUpdate(cluster, ({ isRebooting }) => isRebooting);
    await machine.cutPower();
  },
  "while the guest shuts down": async ({ cluster, machine }) => {
    await nodeUpdate(cluster, ({ isRebooting }) => isRebooting);
    await machine.cutPowerAtWrite((await machine.writes()) + 5);
  },
  "when the guest has booted and nothing is verified": async ({ machine }) => {
    await machine.nextBoot();
    await machine.cutPower();
  },
};

/** An update that is not cut off. Returns its writes. */
async function measured({ cluster, machine }: Stage): Promise<number> {
  await cluster.apply(machineConfigKind, wanted(0));
  await nodeUpdate(cluster, isDrained);
  const begun = await machine.writes();
  await nodeUpdate(cluster, ({ isRebooting }) => isRebooting);
  return (await machine.writes()) - begun;
}

export function powerCutStories(stage: () => Stage): void {
  test("a power cut at any moment of an update leaves the guest on one config, and the update ends", async () => {
    const { cluster, machine } = stage();
    await rolledOut(cluster, () => true);
    const [before, cmdline] = [await fileState(machine), await machine.read("/proc/cmdline")];
    const writes = await measured(stage());
    let config = await rolledOut(cluster, (sources) => sources.includes(name));
    for (const [index, [when, cut]] of Object.entries(moments).entries()) {
      const round = index + 1;
      await machine.forgetUnflushed();
      await cluster.apply(machineConfigKind, wanted(round));
      await cut({ ...stage(), writes });
      const boots = machine.boots.length;
      await machine.powerOn();
      // Before, while or after the agent goes on: each part is of one of the two configs, and whole.
      const found = await roundsOn(machine);
      const parts = new Set([String(round - 1), String(round)]);
      expect(
        found.filter((part) => !parts.has(part)),
        when,
      ).toEqual([]);
      const last = config;
      config = await rolledOut(cluster, (_, name) => name !== last);
      console.log(
        `power cut ${when}: booted with ${found.join(" ")}; ${machine.boots.length - boots} boots until the update ended`,
      );
      expect(new Set(await roundsOn(machine)), when).toEqual(new Set([String(round)]));
      expect(await nodeUpdate(cluster, () => true)).toMatchObject({ current: config, desired: config, state: "Done" });
    }
    await cluster.client.delete(machineConfigKind, name);
    await rolledOut(cluster, (sources) => !sources.includes(name));
    expect(await machine.read("/proc/cmdline")).toBe(cmdline);
    expect(differences(before, await fileState(machine))).toEqual([]);
  });
}

import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { apiVersion, type Profile } from "../../domain/node-tuning/api.ts";
import { noLog } from "../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import type { BootArguments } from "./boot-arguments.ts";
import { NodeEngines } from "./node-engines.ts";
import { NodeTuner } from "./node-tuner.ts";
import { tuneFromRecord } from "./one-shot.ts";
import type { Tuning } from "./tune-outcome.ts";

const state = "/etc/tuned/bootcmdline";
const config = "/boot/grub/grub.cfg";
const grub = "menuentry a {\n  linux /vmlinuz\n}\n";
const empty = "TUNED_BOOT_CMDLINE=\n";

/** A node whose GRUB has TuneD's template. */
function node(): MemoryHost {
  return new MemoryHost(
    new MemoryBase(
      Object.entries({
        "/proc/sys/kernel/random/boot_id": "b\n",
        "/proc/sys/vm/swappiness": "60\n",
        "/etc/grub.d/00_tuned": "x",
        [state]: empty,
        [config]: grub,
      }),
    ),
  );
}

const text = "[sysctl]\nvm.swappiness=11\n[bootloader]\ncmdline=+nohz=on\n";
const profileOf = (data: string): Profile => ({
  apiVersion,
  kind: "Profile",
  metadata: { name: "n" },
  spec: { config: { tunedProfile: "p" }, profile: [{ name: "p", data }] },
});

function tune(host: MemoryHost, bootArguments?: BootArguments, data = text): Promise<Tuning> {
  const engines = new NodeEngines({ host, option: "native" });
  const clock = new VirtualClock();
  return new NodeTuner({ node: "n", host, engines, clock, resyncIntervalMs: 1, log: noLog, bootArguments }).tune(
    profileOf(data),
  );
}

async function textOf(host: MemoryHost, path: string): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : file.type;
}

/** W-25: of the bootloader plug-in, only the boot arguments count on such clusters. */
describe("boot arguments that MachineConfigs carry", () => {
  test("are reported, and not written to the node", async () => {
    const host = node();
    const { outcome, inForce } = await tune(host, "report", `${text}initrd_add_img=/etc/x.img\n`);
    expect(inForce?.bootcmdline).toBe("nohz=on");
    expect([await textOf(host, state), await textOf(host, config)]).toEqual([empty, grub]);
    expect((await textOf(host, "/proc/sys/vm/swappiness")).trim()).toBe("11");
    expect(outcome).toMatchObject({
      type: "applied",
      warnings: [{ file: "p/tuned.conf", line: 5, message: expect.stringContaining("initrd_add_img is not applied") }],
    });
  });

  test("are removed from a node that had them before the cluster had MachineConfigs", async () => {
    const host = node();
    await tune(host, "apply");
    expect(await textOf(host, state)).toContain("nohz=on");
    await tune(host, "report");
    expect(await textOf(host, state)).not.toContain("nohz=on");
    expect(await textOf(host, config)).not.toContain("nohz=on");
  });

  test("are not written before the first pod either", async () => {
    const host = node();
    await tune(host, "report");
    await tuneFromRecord(host, new NodeEngines({ host, option: "native" }));
    expect(await textOf(host, state)).toBe(empty);
  });

  test("are written where there are no MachineConfigs", async () => {
    const host = node();
    await tune(host);
    expect(await textOf(host, state)).toContain('TUNED_BOOT_CMDLINE="nohz=on"');
  });
});

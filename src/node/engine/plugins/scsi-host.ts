import type { Observe, Plugin, Step } from "../plugin.ts";
import { forEachDevice, kernelFile, skipped, unknownOptions, valueOf, type Wanted, wantedOf } from "./steps.ts";
import { udevProperties } from "./udev-properties.ts";

/** `[scsi_host]`: link power management of SATA hosts. */
export const scsiHost: Plugin = {
  type: "scsi_host",

  devices: ({ host }) => host.list("/sys/class/scsi_host"),

  properties: (device, observe) => udevProperties(`/sys/class/scsi_host/${device}/device`, "scsi", observe),

  async plan(unit, observe, devices) {
    const steps = unknownOptions(unit, new Set(["alpm"]));
    const setting = unit.options.get("alpm");
    if (!setting) return steps;
    const wanted = wantedOf("alpm", setting);
    return [...steps, ...(await forEachDevice(devices, (device) => planPolicy(wanted, device, observe)))];
  },
};

async function planPolicy(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const folder = `/sys/class/scsi_host/${device}`;
  if (isExternal(await valueOf(observe, `${folder}/ahci_port_cmd`)))
    return [
      skipped(wanted, "power management would hide the removal of a disk from this external port", {
        device,
        level: "info",
      }),
    ];
  const path = `${folder}/link_power_management_policy`;
  const before = await valueOf(observe, path);
  if (before === undefined || before === "")
    return [skipped(wanted, "the host has no link power management", { device, level: "info" })];
  return [kernelFile(wanted, { path, before, value: wanted.value, device })];
}

/** AHCI's port command register: bit 18 for ports that may be plugged at run time, bit 21 for external ones. */
function isExternal(command: string | undefined): boolean {
  if (command === undefined || !/^(0x)?[0-9a-f]{1,8}$/i.test(command)) return false;
  return (Number.parseInt(command, 16) & ((1 << 18) | (1 << 21))) !== 0;
}

import { optionIsTrue } from "../../../../language/tuned/value.ts";
import type { Observe, Plugin } from "../../plugin.ts";
import { planApm, planSpindown } from "./power.ts";
import { planElevator, planQuantum, planReadahead, planReadaheadMultiply } from "./queue.ts";
import { forEachDevice, onePerTarget, skipped, unknownOptions, valueOf, wantedOf } from "../steps.ts";
import { udevProperties } from "../udev-properties.ts";

/** In TuneD's order: readahead_multiply multiplies the readahead that was just set. */
const planners = {
  elevator: planElevator,
  apm: planApm,
  spindown: planSpindown,
  readahead: planReadahead,
  readahead_multiply: planReadaheadMultiply,
  scheduler_quantum: planQuantum,
} as const;
const known = new Set([...Object.keys(planners), "dynamic"]);

/** `[disk]`: schedulers, readahead and power of whole disks. */
export const disk: Plugin = {
  type: "disk",

  async devices(observe) {
    const names = await observe.host.list("/sys/block");
    const supported = await Promise.all(names.map((name) => isSupported(name, observe)));
    // sysfs writes a slash in a name as `!`.
    return names.filter((_, index) => supported[index]).map((name) => name.replaceAll("!", "/"));
  },

  properties: (device, observe) => udevProperties(`/sys/block/${device.replaceAll("/", "!")}`, "block", observe),

  async plan(unit, observe, devices) {
    const steps = unknownOptions(unit, known);
    for (const [option, planner] of Object.entries(planners)) {
      const setting = unit.options.get(option);
      if (!setting) continue;
      const wanted = wantedOf(option, setting);
      steps.push(...(await forEachDevice(devices, (device) => planner(wanted, device, observe, unit))));
    }
    const dynamic = unit.options.get("dynamic");
    if (dynamic && optionIsTrue(dynamic.value))
      steps.push(skipped(wantedOf("dynamic", dynamic), "load-driven tuning is not supported"));
    return onePerTarget(steps);
  },
};

const subsystems = new Set(["scsi", "virtio", "xen", "nvme", "mmc"]);

/** Fixed disks on one of these buses, or on none (loop, zram, device mapper). */
async function isSupported(name: string, observe: Observe): Promise<boolean> {
  if ((await valueOf(observe, `/sys/block/${name}/removable`)) !== "0") return false;
  const link = `/sys/block/${name}/device/subsystem`;
  const subsystem = await observe.host.real(link);
  if (subsystem !== link) return subsystems.has(subsystem.slice(subsystem.lastIndexOf("/") + 1));
  return (await observe.host.list(`/sys/block/${name}/device`)).length === 0;
}

import { matchesDevices } from "../../language/tuned/pattern/glob.ts";
import { compilePython } from "../../language/tuned/pattern/python-pattern.ts";
import type { Unit } from "../../language/tuned/unit.ts";
import type { Observe, Plugin } from "./plugin.ts";

export type Claimed =
  | { readonly type: "devices"; readonly devices: readonly string[] }
  /** No device matches: the unit has no effect on this node. */
  | { readonly type: "none"; readonly message: string; readonly level: "warning" | "error" };

/** The devices of one plug-in that no unit has claimed yet. */
export class DevicePool {
  readonly #plugin: Plugin;
  #free: Set<string> | undefined;

  constructor(plugin: Plugin) {
    this.#plugin = plugin;
  }

  /** As in TuneD, a device belongs to the first unit that matches it. */
  async claim(unit: Unit, observe: Observe): Promise<Claimed> {
    if (!this.#plugin.devices) return { type: "devices", devices: [] };
    this.#free ??= new Set(await this.#plugin.devices(observe));
    const matching = await this.#matching(unit, this.#free, observe);
    if (matching.type === "none") return matching;
    const { devices } = matching;
    if (devices.length === 0) return { type: "none", level: "warning", message: "no matching devices available" };
    for (const device of devices) this.#free.delete(device);
    return { type: "devices", devices };
  }

  async #matching(unit: Unit, free: ReadonlySet<string>, observe: Observe): Promise<Claimed> {
    const pattern = unit.devicesUdevRegex;
    if (pattern === undefined)
      return { type: "devices", devices: [...free].filter((device) => matchesDevices(unit.devices, device)) };
    const plugin = this.#plugin;
    if (!plugin.properties)
      return { type: "none", level: "error", message: "devices_udev_regex: udev does not know these devices" };
    const compiled = compilePython(pattern, { multiline: true });
    if (compiled.type !== "pattern")
      return { type: "none", level: "error", message: `devices_udev_regex: ${compiled.message}` };
    const devices: string[] = [];
    for (const device of free)
      if (compiled.pattern.search(await plugin.properties(device, observe))) devices.push(device);
    return { type: "devices", devices };
  }
}

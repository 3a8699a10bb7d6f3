import type { Setting, Unit } from "../../../../language/tuned/unit.ts";
import { optionIsTrue } from "../../../../language/tuned/value.ts";
import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { unknownOption } from "../steps.ts";
import { udevProperties } from "../udev-properties.ts";
import { interfaceFolder, isLinkOption, planLink, planWakeOnLan } from "./link.ts";
import { isParameterOption, planParameters } from "./parameters.ts";

/** In TuneD's order: options of the whole node first. */
const order = [
  "nf_conntrack_hashsize",
  "wake_on_lan",
  "txqueuelen",
  "mtu",
  "features",
  "coalesce",
  "pause",
  "ring",
  "channels",
];

/** `[net]`: network cards, and the size of the connection tracking table. */
export const net: Plugin = {
  type: "net",

  async devices({ host }) {
    const virtual = new Set(await host.list("/sys/devices/virtual/net"));
    const names = await host.list("/sys/class/net");
    // `bonding_masters` is a file; a name with a hyphen first would be taken for an option by ethtool and ip.
    return names.filter((name) => !virtual.has(name) && name !== "bonding_masters" && !name.startsWith("-"));
  },

  properties: (device, observe) => udevProperties(interfaceFolder(device), "net", observe),

  async plan(unit, observe, devices) {
    const steps = otherOptions(unit);
    for (const option of order) {
      const setting = unit.options.get(option);
      if (!setting) continue;
      if (devices.length === 0)
        steps.push({ type: "skipped", option, from: setting.from, message: "no network interface matches" });
      else if (option === "nf_conntrack_hashsize") steps.push(await planHashSize(setting, observe));
      else for (const device of devices) steps.push(...(await planDevice(option, setting, device, observe)));
    }
    return steps;
  },
};

async function planDevice(option: string, setting: Setting, device: string, observe: Observe): Promise<Step[]> {
  if (isParameterOption(option)) return planParameters(option, setting, device, observe);
  if (isLinkOption(option)) return [await planLink(option, setting, device, observe)];
  return [await planWakeOnLan(setting, device, observe)];
}

function otherOptions({ options }: Unit): Step[] {
  const steps: Step[] = [];
  for (const [option, setting] of options) {
    if (order.includes(option)) continue;
    if (option !== "dynamic") steps.push(unknownOption("net", option, setting));
    else if (optionIsTrue(setting.value))
      steps.push({
        type: "skipped",
        level: "info",
        option,
        from: setting.from,
        message: "load-driven tuning is not supported",
      });
  }
  return steps;
}

const hashSizePath = "/sys/module/nf_conntrack/parameters/hashsize";

async function planHashSize({ value, from }: Setting, observe: Observe): Promise<Step> {
  const about = { option: "nf_conntrack_hashsize", from };
  const impossible = (message: string): Step => ({ ...about, type: "impossible", message });
  const file = await observe.host.read(hashSizePath);
  if (file.type === "missing") return impossible("connection tracking is not loaded on this node");
  if (file.type === "failed") return impossible(`cannot read ${hashSizePath}: ${file.message}`);
  const before = file.text.trim();
  const wanted = wantedValue(value, hashSizePath, before, observe).trim();
  if (!/^\+?[0-9]{1,20}$/.test(wanted)) return impossible(`${JSON.stringify(value)} is not a size`);
  const size = BigInt(wanted).toString();
  return {
    ...about,
    type: size === before ? "same" : "change",
    target: hashSizePath,
    before,
    value: size,
    actions: [{ type: "write", path: hashSizePath, value: size }],
    undo: [{ type: "write", path: hashSizePath, value: before, tolerate: ["ENOENT"] }],
  };
}

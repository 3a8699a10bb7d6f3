import type { NetDevice } from "../api.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import type { Section } from "./section.ts";

/** One queue per reserved CPU: with more queues, a card would interrupt isolated CPUs. */
export function networkCards({ userLevelNetworking, cpus }: ProfileFacts): readonly Section[] {
  if (!userLevelNetworking) return [];
  const why = "A queue for each reserved CPU: packets interrupt no isolated one.";
  const channels = ["channels", `combined ${cpus.reserved.cpus.length}`] as const;
  const { devices } = userLevelNetworking;
  if (devices.length === 0) return [{ name: "net", why, options: [channels] }];
  return devices.map((device, i) => ({
    name: i === 0 ? "net" : `net_${i}`,
    why,
    options: [["type", "net"], ["devices_udev_regex", devicePattern(device)], channels],
  }));
}

/** TuneD searches the udev properties of a card for it, one per line and sorted by name. */
export function devicePattern({ interfaceName, vendorID, deviceID }: NetDevice): string {
  const lines = [
    ...(deviceID === undefined ? [] : [`^ID_MODEL_ID=${deviceID}`]),
    ...(vendorID === undefined ? [] : [`^ID_VENDOR_ID=${vendorID}`]),
    ...(interfaceName === undefined ? [] : [`^INTERFACE=${interfacePattern(interfaceName)}`]),
  ];
  return lines.join("[\\s\\S]*");
}

function interfacePattern(name: string): string {
  const pattern = name.replaceAll("*", ".*");
  return pattern.startsWith("!") ? `(?!${pattern.slice(1)})` : pattern;
}

import type { NetDevice } from "../api.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import type { Section } from "./section.ts";

/** As many queues as there are CPUs to serve them: a queue more would interrupt a workload. */
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

/** TuneD searches a card's udev properties for it; they come one to a line, in the order of their names. */
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

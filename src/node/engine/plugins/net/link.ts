import type { Setting } from "../../../../language/tuned/unit.ts";
import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";

type LinkOption = "mtu" | "txqueuelen";

export function isLinkOption(option: string): option is LinkOption {
  return option === "mtu" || option === "txqueuelen";
}

/** Where the kernel lists an interface. */
export function interfaceFolder(device: string): string {
  return `/sys/class/net/${device}`;
}

/** `ip` prints the queue length as `qlen` and sets it as `txqueuelen`. */
const shown = { mtu: /\smtu\s+([0-9]+)/, txqueuelen: /\sqlen\s+([0-9]+)/ };

export async function planLink(
  option: LinkOption,
  { value, from }: Setting,
  device: string,
  observe: Observe,
): Promise<Step> {
  const about = { option, from, device };
  const impossible = (message: string): Step => ({ ...about, type: "impossible", message });
  const target = `ip link ${device} ${option}`;
  const answer = await observe.host.run(["ip", "link", "show", device]);
  if (answer.type === "failed") return impossible(answer.message);
  if (answer.code !== 0) return impossible(`ip link show ${device}: ${answer.stderr.trim().slice(0, 200)}`);
  const before = shown[option].exec(answer.stdout)?.[1];
  if (before === undefined) return impossible(`ip link show ${device} does not print ${option}`);

  const wanted = wantedValue(value, target, before, observe).trim();
  if (!/^\+?[0-9]{1,20}$/.test(wanted)) return impossible(`${JSON.stringify(value)} is not a whole number`);
  const number = BigInt(wanted).toString();
  const argv = ["ip", "link", "set", "dev", device, option];
  const set = (to: string) => ({ type: "run", argv: [...argv, to], needs: interfaceFolder(device) }) as const;
  return {
    ...about,
    type: number === before ? "same" : "change",
    target,
    before,
    value: number,
    actions: [set(number)],
    undo: [set(before)],
  };
}

/** ethtool's letters for events that wake the machine; `d` disables, and TuneD accepts 0 for it. */
export async function planWakeOnLan({ value, from }: Setting, device: string, observe: Observe): Promise<Step> {
  const about = { option: "wake_on_lan", from, device };
  const wanted = value.replaceAll("0", "d");
  if (!/^[pumbagsd]+$/.test(wanted))
    return { ...about, type: "impossible", message: `${JSON.stringify(value)} has other letters than pumbagsd` };
  const answer = await observe.host.run(["ethtool", device]);
  const before = answer.type === "exited" ? /^\s*Wake-on:\s*([pumbagsd]+)/m.exec(answer.stdout)?.[1] : undefined;
  if (before === undefined)
    return { ...about, type: "impossible", message: `ethtool does not print the wake-on-LAN state of ${device}` };
  const argv = ["ethtool", "-s", device, "wol"];
  const set = (to: string) => ({ type: "run", argv: [...argv, to], needs: interfaceFolder(device) }) as const;
  return {
    ...about,
    type: letters(wanted) === letters(before) ? "same" : "change",
    target: `ethtool ${device} wol`,
    before,
    value: wanted,
    actions: [set(wanted)],
    undo: [set(before)],
  };
}

function letters(text: string): string {
  return [...new Set(text)].toSorted().join("");
}

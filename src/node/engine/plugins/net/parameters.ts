import type { Setting } from "../../../../language/tuned/unit.ts";
import type { Action } from "../../action.ts";
import type { Observe, Step } from "../../plugin.ts";
import { readEthtool } from "./ethtool-output.ts";
import { interfaceFolder } from "./link.ts";

interface Kind {
  readonly query: string;
  readonly set: string;
  /** Names that ethtool accepts; features depend on the card. */
  readonly names?: ReadonlySet<string>;
}

const kinds = {
  features: { query: "-k", set: "-K" },
  coalesce: {
    query: "-c",
    set: "-C",
    names: names(`adaptive-rx adaptive-tx cqe-mode-rx sample-interval stats-block-usecs pkt-rate-low pkt-rate-high
      rx-usecs rx-frames rx-usecs-irq rx-frames-irq rx-usecs-low rx-frames-low rx-usecs-high rx-frames-high
      tx-usecs tx-frames tx-usecs-irq tx-frames-irq tx-usecs-low tx-frames-low tx-usecs-high tx-frames-high
      tx-aggr-max-bytes tx-aggr-max-frames tx-aggr-time-usecs`),
  },
  pause: { query: "-a", set: "-A", names: names("autoneg rx tx") },
  ring: { query: "-g", set: "-G", names: names("rx rx-mini rx-jumbo tx") },
  channels: { query: "-l", set: "-L", names: names("rx tx other combined") },
} satisfies Record<string, Kind>;

type ParameterOption = keyof typeof kinds;

export function isParameterOption(option: string): option is ParameterOption {
  return Object.hasOwn(kinds, option);
}

/**
 * `rx-usecs 3, tx-usecs: 16`: pairs that ethtool sets on one interface. Each is a target of its own, so that two profiles
 * may name different ones, but one call sets all: a card may change one along with another.
 */
export async function planParameters(
  option: ParameterOption,
  { value, from }: Setting,
  device: string,
  observe: Observe,
): Promise<Step[]> {
  const about = { option, from, device };
  const impossible = (message: string): Step[] => [{ ...about, type: "impossible", message }];
  const kind: Kind = kinds[option];
  const requested = pairsOf(value);
  if (!requested) return impossible(`${JSON.stringify(value)} does not consist of names and values in pairs`);

  const answer = await observe.host.run(["ethtool", kind.query, device]);
  if (answer.type === "failed") return impossible(answer.message);
  const present = answer.code === 0 ? readEthtool(answer.stdout) : new Map<string, string>();
  if (present.size === 0)
    return impossible(`ethtool ${kind.query} ${device} prints no parameters: ${answer.stderr.trim().slice(0, 200)}`);

  const steps: Step[] = [];
  const skip = (message: string) => steps.push({ ...about, type: "skipped", message });
  for (const name of requested.keys())
    if (kind.names && !kind.names.has(name)) {
      requested.delete(name);
      skip(`ethtool has no ${option} parameter ${JSON.stringify(name)}`);
    }
  const wanted = option === "channels" ? asDeviceHasChannels(requested, present) : requested;
  for (const name of wanted.keys())
    if ((present.get(name) ?? "n/a") === "n/a") {
      wanted.delete(name);
      skip(`${device} cannot change the ${option} parameter ${name}`);
    }
  if (wanted.size === 0) return [...steps, ...impossible(`none of ${JSON.stringify(value)} can be set on ${device}`)];

  const differs = [...wanted].some(([name, to]) => present.get(name) !== to);
  for (const [name, to] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const before = present.get(name) ?? "";
    const set = (text: string): Action => ({
      type: "run",
      argv: ["ethtool", kind.set, device, name, text],
      shared: 3,
      needs: interfaceFolder(device),
      // ethtool's exit code for a value that is set already.
      tolerate: [80],
    });
    steps.push({
      ...about,
      type: before === to ? "same" : "change",
      target: `ethtool ${device} ${option} ${name}`,
      before,
      value: to,
      actions: [set(to)],
      undo: [set(before)],
      // Setting one parameter may change another: if one differs, all are set, and restored.
      ...(differs && before === to ? { always: true } : {}),
    });
  }
  return steps;
}

/** Blanks, commas, semicolons and colons separate. The last value of a name counts. */
function pairsOf(text: string): Map<string, string> | undefined {
  const words = text.split(/[\s,;:]+/).filter((word) => word !== "");
  if (words.length % 2 !== 0) return undefined;
  const pairs = new Map<string, string>();
  for (let i = 0; i < words.length; i += 2) pairs.set(words[i] ?? "", words[i + 1] ?? "");
  return pairs;
}

/** A card has combined queues or one set for each direction; a profile may be written for the other kind of card. */
function asDeviceHasChannels(
  requested: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): Map<string, string> {
  const wanted = new Map(requested);
  const first = [...requested.keys()].find((name) => present.has(name));
  if (first === undefined || !["n/a", "0"].includes(present.get(first) ?? "")) return wanted;
  const combined = requested.get("combined");
  if (combined !== undefined)
    return new Map([
      ["rx", combined],
      ["tx", combined],
    ]);
  const counts = ["rx", "tx"]
    .flatMap((name) => requested.get(name) ?? [])
    .filter((count) => /^[0-9]{1,9}$/.test(count));
  return counts.length === 0 ? wanted : new Map([["combined", String(Math.max(...counts.map(Number)))]]);
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

import type { NetworkInterface } from "../../domain/scylla/on-node/node-facts.ts";
import type { Host } from "../host/host.ts";

type Reader = Pick<Host, "read" | "list" | "real">;

/** Of the first process: the agent may have a network of its own. */
const routes = ["/proc/1/net/route", "/proc/1/net/ipv6_route"] as const;

/**
 * The network cards that carry the node's traffic, by name: those that its routes lead to, below bonds, VLANs and bridges too. A card
 * that is not in use is left alone, whatever its name. Where the default route leads to no card that sysfs knows of, as with
 * Open vSwitch, all cards with a link count.
 */
export async function readInterfaces(host: Reader): Promise<NetworkInterface[]> {
  const names = await host.list("/sys/class/net");
  const cards = new Set<string>();
  for (const name of names)
    if (name !== "lo" && !(await host.real(`/sys/class/net/${name}`)).includes("/devices/virtual/")) cards.add(name);
  const { used, byDefault } = await readRoutes(host);
  const below = (name: string): Promise<string[]> => cardsBelow(name, { host, cards });
  const isKnown = (await Promise.all([...byDefault].map(below))).some((found) => found.length > 0);
  const chosen = isKnown ? (await Promise.all([...used].map(below))).flat() : await linked(host, cards);
  const sorted = [...new Set(chosen)].toSorted();
  return Promise.all(sorted.map(async (name) => ({ name, index: await readIndex(host, name) })));
}

interface Cards {
  readonly host: Reader;
  readonly cards: ReadonlySet<string>;
}

async function cardsBelow(name: string, of: Cards, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(name)) return [];
  seen.add(name);
  const lower = (await of.host.list(`/sys/class/net/${name}`))
    .filter((entry) => entry.startsWith("lower_"))
    .map((entry) => entry.slice("lower_".length));
  const found = (await Promise.all(lower.map((one) => cardsBelow(one, of, seen)))).flat();
  return found.length > 0 || !of.cards.has(name) ? found : [name];
}

async function linked(host: Reader, cards: ReadonlySet<string>): Promise<string[]> {
  const states = await Promise.all([...cards].map((name) => host.read(`/sys/class/net/${name}/operstate`)));
  return [...cards].filter((_, index) => {
    const state = states[index];
    return state?.type !== "text" || state.text.trim() !== "down";
  });
}

async function readIndex(host: Reader, name: string): Promise<number> {
  const index = await host.read(`/sys/class/net/${name}/ifindex`);
  return index.type === "text" ? Number.parseInt(index.text, 10) || 0 : 0;
}

interface Routes {
  readonly used: ReadonlySet<string>;
  readonly byDefault: ReadonlySet<string>;
}

async function readRoutes(host: Reader): Promise<Routes> {
  const used = new Set<string>();
  const byDefault = new Set<string>();
  const [v4, v6] = await Promise.all(routes.map((path) => host.read(path)));
  const note = (name: string | undefined, isDefault: boolean): void => {
    if (name === undefined || name === "lo") return;
    used.add(name);
    if (isDefault) byDefault.add(name);
  };
  for (const line of v4?.type === "text" ? v4.text.split("\n").slice(1) : []) {
    const [name, destination, , , , , , mask] = line.trim().split(/\s+/);
    if (mask !== undefined) note(name, destination === "00000000" && mask === "00000000");
  }
  for (const line of v6?.type === "text" ? v6.text.split("\n") : []) {
    const fields = line.trim().split(/\s+/);
    const [destination = "", length] = fields;
    // Each interface has link-local and multicast routes.
    if (fields.length >= 10 && !/^(fe8|ff)/.test(destination))
      note(fields[9], /^0{32}$/.test(destination) && length === "00");
  }
  return { used, byDefault };
}

import type { ChannelCounts, NicFacts, RequestedNic } from "../../../domain/scylla/perftune/host-facts.ts";
import type { Host } from "../../host/host.ts";
import { deviceIrqs } from "./device-irqs.ts";
import { textOf } from "./text-of.ts";

const folder = "/sys/class/net";

/** What each interface that the user names consists of. */
export async function readNics(
  names: readonly string[],
  host: Host,
  interrupts: ReadonlyMap<number, string>,
): Promise<RequestedNic[]> {
  const present = new Set(await host.list(folder));
  const nics: RequestedNic[] = [];
  for (const name of names) {
    // ethtool would take a hyphen for an option.
    if (!present.has(name) || name.startsWith("-")) {
      nics.push({ type: "missing", name });
      continue;
    }
    const devices = await devicesOf(name, host);
    if (devices.length === 0) nics.push({ type: "virtual", name });
    else
      nics.push({
        type: "devices",
        name,
        devices: await Promise.all(devices.map((device) => readNic(device, host, interrupts))),
      });
  }
  return nics;
}

/** The interfaces with a device: this one, and those below it, each once. */
async function devicesOf(name: string, host: Host, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(name)) return [];
  seen.add(name);
  const devices = (await hasDevice(name, host)) ? [name] : [];
  for (const lower of await lowerOf(name, host)) devices.push(...(await devicesOf(lower, host, seen)));
  return devices;
}

async function hasDevice(name: string, host: Host): Promise<boolean> {
  return (await host.list(`${folder}/${name}`)).includes("device");
}

/** Members of a bond; else what a VLAN, a bridge or the accelerated interface of a cloud is above. */
async function lowerOf(name: string, host: Host): Promise<string[]> {
  const members = await textOf(host, `${folder}/${name}/bonding/slaves`);
  if (members !== undefined) return members.split(/\s+/).filter((member) => member !== "");
  const links = (await host.list(`${folder}/${name}`)).filter((link) => link.startsWith("lower_"));
  return Promise.all(links.map(async (link) => (await host.real(`${folder}/${name}/${link}`)).split("/").at(-1) ?? ""));
}

async function readNic(name: string, host: Host, interrupts: ReadonlyMap<number, string>): Promise<NicFacts> {
  const device = `${folder}/${name}/device`;
  const [driver, channels, irqs, queues] = await Promise.all([
    driverOf(name, host),
    channelsOf(name, host),
    deviceIrqs({ device, xenName: name, interrupts }, host),
    queuesOf(name, host),
  ]);
  return { name, driver, irqs, ...queues, ...(channels ? { channels } : {}) };
}

async function driverOf(name: string, host: Host): Promise<string> {
  const answer = await host.run(["ethtool", "-i", name]);
  const driver =
    answer.type === "exited" && answer.code === 0 ? /^driver:\s*(\S+)/m.exec(answer.stdout)?.[1] : undefined;
  if (driver !== undefined) return driver;
  const link = `${folder}/${name}/device/driver`;
  const real = await host.real(link);
  return real === link ? "" : (real.split("/").at(-1) ?? "");
}

async function queuesOf(name: string, host: Host): Promise<Pick<NicFacts, "rpsQueues" | "flowQueues" | "xpsQueues">> {
  const queues = `${folder}/${name}/queues`;
  const found = await Promise.all(
    (await host.list(queues)).flatMap((queue) => {
      const [, kind, number] = /^(rx|tx)-([0-9]{1,6})$/.exec(queue) ?? [];
      return kind === undefined
        ? []
        : [host.list(`${queues}/${queue}`).then((files) => ({ kind, number: Number(number), files: new Set(files) }))];
    }),
  );
  const having = (kind: string, file: string): number[] =>
    found
      .filter((one) => one.kind === kind && one.files.has(file))
      .map(({ number }) => number)
      .toSorted((a, b) => a - b);
  return {
    rpsQueues: having("rx", "rps_cpus"),
    flowQueues: having("rx", "rps_flow_cnt"),
    xpsQueues: having("tx", "xps_cpus"),
  };
}

async function channelsOf(name: string, host: Host): Promise<NicFacts["channels"]> {
  const answer = await host.run(["ethtool", "-l", name]);
  return answer.type === "exited" && answer.code === 0 ? parseChannels(answer.stdout) : undefined;
}

const kinds: ReadonlyMap<string, keyof ChannelCounts> = new Map([
  ["rx", "rx"],
  ["tx", "tx"],
  ["other", "other"],
  ["combined", "combined"],
]);

/** The two sections of `ethtool -l`. A kind that is `n/a` is absent. */
export function parseChannels(output: string): NicFacts["channels"] {
  const current = /^Current hardware settings:\s*$/im.exec(output);
  const maximum = /^Pre-set maximums:\s*$/im.exec(output);
  if (!current || !maximum || maximum.index > current.index) return undefined;
  return {
    maximum: countsIn(output.slice(maximum.index, current.index)),
    current: countsIn(output.slice(current.index)),
  };
}

function countsIn(section: string): ChannelCounts {
  const counts: { -readonly [Kind in keyof ChannelCounts]: number } = {};
  for (const [, name = "", count = ""] of section.matchAll(/^\s*(\w+):\s*([0-9]{1,9})\s*$/gm)) {
    const kind = kinds.get(name.toLowerCase());
    if (kind !== undefined) counts[kind] = Number(count);
  }
  return counts;
}

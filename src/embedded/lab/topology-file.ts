import type { Taint } from "kubernetes-types/core/v1.js";
import { parseCpuset } from "../../language/cpu/kubernetes-cpuset.ts";
import { isObject, type JsonObject } from "../../language/object/json.ts";
import { approximately, isQuantity, parseQuantity } from "../../language/object/quantity.ts";
import { smallMachine } from "./machine-base.ts";
import { containerRuntimes, cpuLayout, kubeletFlavours, type Topology } from "./topology.ts";

/** Nodes of the same topology. */
export interface NodeGroup {
  readonly names: readonly string[];
  readonly topology: Topology;
  readonly labels: Readonly<Record<string, string>>;
  /** The MachineConfigPool that its nodes are for. */
  readonly pool?: string | undefined;
  readonly taints: readonly Taint[];
  /** Capacity besides cpu, memory and pods. */
  readonly resources: Readonly<Record<string, string>>;
}

/** The document is no valid topology. The message starts with the path of the field. */
export class TopologyError extends Error {
  override readonly name = "TopologyError";
}

const fields = [
  "name",
  "count",
  "cpus",
  "memory",
  "sockets",
  "threadsPerCore",
  "numaNodes",
  "architecture",
  "kernel",
  "labels",
  "pool",
  "taints",
  "resources",
  "hugepages",
  "runtime",
  "kubelet",
  "cpuManager",
  "reservedCpus",
  "networkQueues",
  "dataDisk",
];
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const mostNodes = 99_999;
/** Node names are DNS subdomains. */
const nodeName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** Reads `groups:` of nodes. In a name, `{}` is the number of the node in its group. */
export function readTopology(document: unknown): NodeGroup[] {
  if (!isObject(document)) throw new TopologyError("must be an object with groups");
  rejectUnknown(document, ["groups"], "");
  const { groups } = document;
  if (!Array.isArray(groups) || groups.length === 0) throw new TopologyError("groups: must have at least one group");
  const taken = new Set<string>();
  return groups.map((group, index) => {
    const at = `groups[${index}]`;
    if (!isObject(group)) throw new TopologyError(`${at}: must be an object`);
    const read = readGroup(group, at);
    for (const name of read.names) {
      if (taken.has(name)) throw new TopologyError(`${at}.name: node "${name}" is defined twice`);
      taken.add(name);
    }
    return read;
  });
}

function readGroup(group: JsonObject, at: string): NodeGroup {
  rejectUnknown(group, fields, at);
  const { architecture = smallMachine.architecture, kernel = smallMachine.kernelRelease } = group;
  if (architecture !== "amd64" && architecture !== "arm64")
    throw new TopologyError(`${at}.architecture: must be amd64 or arm64`);
  if (typeof kernel !== "string") throw new TopologyError(`${at}.kernel: must be a string`);
  const memoryMiB = memoryOf(group, at);
  const pages = pagesOf(group, at, memoryMiB);
  const hugepages = new Map(pages.map(({ sizeKiB, count }) => [sizeKiB, count]));
  const cpus = cpusOf(group, at);
  const pool = poolOf(group, at);
  return {
    names: namesOf(group, at),
    topology: {
      ...cpus,
      memoryMiB,
      architecture,
      kernelRelease: kernel,
      ...(hugepages.size > 0 ? { hugepages } : {}),
      runtime: oneOf(group, "runtime", at, containerRuntimes),
      kubelet: oneOf(group, "kubelet", at, kubeletFlavours),
      ...reservedOf(group, at, cpus),
      ...devicesOf(group, at),
    },
    labels: { ...roles(pool), ...Object.fromEntries(texts(group, "labels", at)) },
    pool,
    taints: taintsOf(group, at),
    resources: Object.fromEntries([
      ...quantities(group, "resources", at),
      ...pages.map(({ size, amount }) => [`hugepages-${size}`, amount]),
    ]),
  };
}

function poolOf({ pool }: JsonObject, at: string): string | undefined {
  if (pool === undefined || (typeof pool === "string" && nodeName.test(pool) && pool.length <= 63)) return pool;
  throw new TopologyError(`${at}.pool: must be a name such as low-latency`);
}

/** By which pools choose their nodes. A node of a pool of its own is a worker too. */
function roles(pool: string | undefined): Record<string, string> {
  const names = pool === undefined ? [] : [...new Set(["worker", pool])];
  return Object.fromEntries(names.map((name) => [`node-role.kubernetes.io/${name}`, ""]));
}

function cpusOf(
  group: JsonObject,
  at: string,
): Pick<Topology, "cpus"> & Required<Pick<Topology, "sockets" | "threadsPerCore" | "numaNodes">> {
  const cpus = count(group, "cpus", at, { most: 4096, fallback: smallMachine.cpus });
  const threadsPerCore = count(group, "threadsPerCore", at, { most: 8, fallback: 1 });
  const sockets = count(group, "sockets", at, { most: 64, fallback: 1 });
  const numaNodes = count(group, "numaNodes", at, { most: 64, fallback: sockets });
  if (cpus % threadsPerCore !== 0) throw new TopologyError(`${at}.threadsPerCore: must divide ${cpus} CPUs`);
  if (sockets > cpus / threadsPerCore)
    throw new TopologyError(`${at}.sockets: must be at most the number of cores, ${cpus / threadsPerCore}`);
  if (numaNodes % sockets !== 0 && sockets % numaNodes !== 0)
    throw new TopologyError(`${at}.numaNodes: must be a divisor or a multiple of ${sockets} sockets`);
  return { cpus, sockets, threadsPerCore, numaNodes };
}

/** The static policy needs a reserved CPU: by default those of the first core. */
function reservedOf(group: JsonObject, at: string, topology: Pick<Topology, "cpus">): Pick<Topology, "reservedCpus"> {
  const policy = oneOf(group, "cpuManager", at, ["none", "static"]);
  const { reservedCpus } = group;
  if (reservedCpus === undefined)
    return policy === "static" ? { reservedCpus: cpuLayout(topology as Topology)[0]?.threads ?? [] } : {};
  if (policy !== "static") throw new TopologyError(`${at}.reservedCpus: needs cpuManager: static`);
  const list = typeof reservedCpus === "string" || typeof reservedCpus === "number" ? String(reservedCpus) : "";
  const parsed = parseCpuset(list);
  if (parsed.type !== "cpus" || parsed.cpus.length === 0 || parsed.cpus.some((cpu) => cpu >= topology.cpus))
    throw new TopologyError(`${at}.reservedCpus: must be a list such as "0,4" of CPUs below ${topology.cpus}`);
  return { reservedCpus: parsed.cpus };
}

function devicesOf(group: JsonObject, at: string): Pick<Topology, "networkQueues" | "dataDisk"> {
  const { networkQueues, dataDisk } = group;
  if (dataDisk !== undefined && !(typeof dataDisk === "string" && /^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(dataDisk)))
    throw new TopologyError(`${at}.dataDisk: must be a folder such as /mnt/data`);
  return {
    ...(networkQueues === undefined
      ? {}
      : { networkQueues: count(group, "networkQueues", at, { most: 1024, fallback: 1 }) }),
    ...(dataDisk === undefined ? {} : { dataDisk }),
  };
}

interface HugePages {
  readonly size: string;
  readonly amount: string;
  readonly sizeKiB: number;
  readonly count: number;
}

function pagesOf(group: JsonObject, at: string, memoryMiB: number): HugePages[] {
  let left = memoryMiB * 1024;
  return quantities(group, "hugepages", at).map(([size, amount]) => {
    const sizeKiB = isQuantity(size) ? approximately(parseQuantity(size)) / 1024 : 0;
    if (!Number.isInteger(sizeKiB) || sizeKiB < 1)
      throw new TopologyError(`${at}.hugepages: "${size}" is not a page size such as 2Mi`);
    const pages = Math.floor(approximately(parseQuantity(amount)) / 1024 / sizeKiB);
    if (pages < 0) throw new TopologyError(`${at}.hugepages.${size}: "${amount}" is not a quantity`);
    left -= pages * sizeKiB;
    if (left <= 0) throw new TopologyError(`${at}.hugepages: take all of ${memoryMiB}Mi memory`);
    return { size, amount, sizeKiB, count: pages };
  });
}

function namesOf(group: JsonObject, at: string): string[] {
  const { name: pattern } = group;
  if (typeof pattern !== "string") throw new TopologyError(`${at}.name: must be a name such as worker-{}`);
  const nodes = count(group, "count", at, { most: mostNodes, fallback: 1 });
  if (nodes > 1 && !pattern.includes("{}"))
    throw new TopologyError(`${at}.name: "${pattern}" must contain {} for the number of each node`);
  return Array.from({ length: nodes }, (_, index) => {
    const name = pattern.replaceAll("{}", String(index + 1));
    if (name.length > 253 || !nodeName.test(name))
      throw new TopologyError(`${at}.name: "${name}" is not a valid node name`);
    return name;
  });
}

function memoryOf({ memory }: JsonObject, at: string): number {
  if (memory === undefined) return smallMachine.memoryMiB;
  const text = typeof memory === "object" ? JSON.stringify(memory) : String(memory);
  const mebibytes = isQuantity(text) ? Math.floor(approximately(parseQuantity(text)) / 2 ** 20) : 0;
  if (mebibytes < 1) throw new TopologyError(`${at}.memory: "${text}" is not a quantity such as 16Gi`);
  return mebibytes;
}

function taintsOf({ taints = [] }: JsonObject, at: string): Taint[] {
  if (!Array.isArray(taints)) throw new TopologyError(`${at}.taints: must be a list`);
  return taints.map((taint, index) => {
    const here = `${at}.taints[${index}]`;
    if (!isObject(taint)) throw new TopologyError(`${here}: must be an object`);
    rejectUnknown(taint, ["key", "value", "effect"], here);
    const { key, value = "", effect } = taint;
    if (typeof key !== "string" || key === "") throw new TopologyError(`${here}.key: must not be empty`);
    if (typeof value !== "string") throw new TopologyError(`${here}.value: must be a string`);
    if (typeof effect !== "string" || !effects.includes(effect))
      throw new TopologyError(`${here}.effect: must be one of ${effects.join(", ")}`);
    return { key, ...(value === "" ? {} : { value }), effect };
  });
}

function count(
  of: JsonObject,
  field: string,
  at: string,
  { most, fallback }: { most: number; fallback: number },
): number {
  const value = of[field] ?? fallback;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most)
    throw new TopologyError(`${at}.${field}: must be a number from 1 to ${most}`);
  return value;
}

/** The first is the default. */
function oneOf<T extends string>(of: JsonObject, field: string, at: string, values: readonly [T, ...T[]]): T {
  const value = of[field] ?? values[0];
  const found = values.find((one) => one === value);
  if (found === undefined) throw new TopologyError(`${at}.${field}: must be one of ${values.join(", ")}`);
  return found;
}

function texts(of: JsonObject, field: string, at: string): [string, string][] {
  const value = of[field] ?? {};
  if (!isObject(value)) throw new TopologyError(`${at}.${field}: must be an object`);
  return Object.entries(value).map(([key, text]) => {
    if (typeof text === "object") throw new TopologyError(`${at}.${field}.${key}: must be a string`);
    return [key, String(text)];
  });
}

function quantities(of: JsonObject, field: string, at: string): [string, string][] {
  const pairs = texts(of, field, at);
  for (const [key, text] of pairs)
    if (!isQuantity(text)) throw new TopologyError(`${at}.${field}.${key}: "${text}" is not a quantity`);
  return pairs;
}

/** An unknown field is an error: ignored, it would make a node other than intended. */
function rejectUnknown(of: JsonObject, known: readonly string[], at: string): void {
  for (const key of Object.keys(of))
    if (!known.includes(key))
      throw new TopologyError(`${at === "" ? key : `${at}.${key}`}: unknown field, must be one of ${known.join(", ")}`);
}

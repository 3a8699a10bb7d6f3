import { cpusOf } from "../../../../language/cpu/cpu-list.ts";
import { type CpuSet, difference, formatRanges } from "../../../../language/cpu/cpu-set.ts";
import { isObject, type JsonObject } from "../../../../language/object/json.ts";
import { approximately, isQuantity, parseQuantity } from "../../../../language/object/quantity.ts";
import type { Host } from "../../../../node/host/host.ts";
import { findUnit } from "../../../../node/host/unit-files.ts";
import { deviceCheckpoint } from "../../machine-base.ts";
import { cpuLayout, type Topology } from "../../topology.ts";
import { startManager } from "./cpu-manager-state.ts";
import {
  type NodePartitioning,
  partitionedResources,
  pinningFile,
  sharedCpusFile,
  sharedCpusLimit,
} from "./partitioned-node.ts";

/** What a kubelet offers, by its configuration and the machine at its start. */
export interface KubeletSettings extends NodePartitioning {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** The CPUs of containers that have none of their own; undefined: any. */
  readonly sharedPool: CpuSet | undefined;
  /** Which no container gets for itself. */
  readonly reservedCpus: CpuSet;
  readonly staticPodPath: string;
  /** Whether it sets resources that it does not know to 0. */
  readonly resetsResources: boolean;
}

export type KubeletStart =
  | { readonly type: "started"; readonly settings: KubeletSettings }
  /** It ends with this message, and the Node stays as it is. */
  | { readonly type: "failed"; readonly message: string };

type Files = Pick<Host, "read" | "list" | "real" | "replace">;

/** Starts the kubelet as far as its Node shows it: configuration, CPU manager, huge pages, partitioning. */
export async function startKubelet(host: Files, topology: Topology): Promise<KubeletStart> {
  const { memoryMiB } = topology;
  const read = await readConfiguration(host);
  if (read.type === "failed") return read;
  const { configuration } = read;
  const online = cpusOf((await text(host, "/sys/devices/system/cpu/online")) ?? "");
  const reserved = cpusOf(stringOf(configuration["reservedSystemCPUs"]));
  const absent = difference(reserved, online);
  if (absent.length > 0)
    return failed(`reservedSystemCPUs: CPUs ${formatRanges(absent)} are not online (${formatRanges(online)} are)`);
  const reservations = [configuration["kubeReserved"], configuration["systemReserved"]];
  const reservedCpu = reserved.length > 0 ? reserved.length * 1000 : sumOf(reservations, "cpu", 1000);
  const policy = stringOf(configuration["cpuManagerPolicy"]) || "none";
  if (policy === "static" && reservedCpu === 0)
    return failed("the static policy of the CPU manager needs reserved CPUs: set reservedSystemCPUs");
  const partitioning = await partitioningOf(host, topology);
  const { partitioned } = partitioning;
  const cpuManager = {
    ...reservation(configuration, reserved, reservedCpu),
    online,
    cores: coresOf(topology),
    partitioned,
  };
  const state = await startManager(host, policy, cpuManager);
  if (state.type === "failed") return failed(`CPU manager: ${state.message}`);

  const pages = await hugePages(host);
  const pagesKiB = pages.reduce((sum, { sizeKiB, count }) => sum + sizeKiB * count, 0);
  const eviction = isObject(configuration["evictionHard"]) ? configuration["evictionHard"]["memory.available"] : "0";
  const heldKiB = Math.ceil((sumOf(reservations, "memory", 1) + bytesOf(eviction)) / 1024);
  const capacity = {
    cpu: String(online.length),
    memory: `${memoryMiB * 1024}Ki`,
    pods: stringOf(configuration["maxPods"]) || "110",
    ...Object.fromEntries(pages.map(({ name, sizeKiB, count }) => [name, `${sizeKiB * count}Ki`])),
    ...partitionedResources(partitioning, online.length),
  };
  const allocatable = {
    ...capacity,
    cpu: `${online.length * 1000 - reservedCpu}m`,
    memory: `${Math.max(0, memoryMiB * 1024 - pagesKiB - heldKiB)}Ki`,
  };
  return {
    type: "started",
    settings: {
      capacity,
      allocatable,
      ...partitioning,
      sharedPool: state.shared,
      reservedCpus: reserved,
      staticPodPath: stringOf(configuration["staticPodPath"]) || "/etc/kubernetes/manifests",
      resetsResources: (await text(host, deviceCheckpoint)) === undefined,
    },
  };
}

async function partitioningOf(host: Files, { kubelet }: Topology): Promise<NodePartitioning> {
  if (kubelet !== "openshift") return { partitioned: false, sharedCpus: undefined };
  const partitioned = (await host.read(pinningFile)).type === "text";
  return { partitioned, sharedCpus: sharedCpusLimit(await text(host, sharedCpusFile)) };
}

function reservation(
  configuration: JsonObject,
  reserved: CpuSet,
  reservedCpu: number,
): { reserved: CpuSet; reservedCount: number; strict: boolean } {
  const options = configuration["cpuManagerPolicyOptions"];
  const strict = isObject(options) && ["true", true].includes(options["strict-cpu-reservation"] as string);
  return { reserved, reservedCount: Math.ceil(reservedCpu / 1000), strict };
}

export function coresOf(topology: Topology): CpuSet[] {
  const places = cpuLayout(topology).toSorted((a, b) => a.socket - b.socket || a.core - b.core);
  return [...new Set(places.map(({ threads }) => threads))];
}

/** The file that the kubelet's unit names, and over it the files of its drop-in directory in order of their names. */
async function readConfiguration(host: Files): Promise<{ type: "read"; configuration: JsonObject } | Failed> {
  const found = await findUnit(host, "kubelet.service");
  const command = found.type === "unit" ? found.unit.values("Service", "ExecStart").join(" ") : "";
  const flag = (name: string): string => new RegExp(`--${name}[= ](\\S+)`).exec(command)?.[1] ?? "";
  const folder = flag("config-dir");
  const dropIns = folder === "" ? [] : (await host.list(folder)).filter((name) => name.endsWith(".conf"));
  let configuration: JsonObject = {};
  for (const path of [flag("config"), ...dropIns.map((name) => `${folder}/${name}`)]) {
    const content = path === "" ? undefined : await text(host, path);
    if (content === undefined) continue;
    const { readYaml } = await import("../../../../language/object/yaml.ts");
    try {
      const document = readYaml(content);
      if (isObject(document)) configuration = merged(configuration, document);
      else return failed(`${path}: not a KubeletConfiguration`);
    } catch (error) {
      return failed(`${path}: ${(error as Error).message}`);
    }
  }
  return { type: "read", configuration };
}

/** Objects are merged, everything else is replaced. */
function merged(base: JsonObject, over: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

interface Pages {
  /** As a resource. */
  readonly name: string;
  readonly sizeKiB: number;
  readonly count: number;
}

/** Sizes without pages too: what a node no longer has must not stay in its status. */
async function hugePages(host: Files): Promise<Pages[]> {
  const folder = "/sys/kernel/mm/hugepages";
  const pages: Pages[] = [];
  for (const name of await host.list(folder)) {
    const sizeKiB = Number(/^hugepages-([0-9]+)kB$/.exec(name)?.[1] ?? 0);
    const count = Number((await text(host, `${folder}/${name}/nr_hugepages`)) ?? 0);
    if (sizeKiB > 0) pages.push({ name: `hugepages-${sizeName(sizeKiB)}`, sizeKiB, count });
  }
  return pages;
}

function sizeName(sizeKiB: number): string {
  if (sizeKiB % (1024 * 1024) === 0) return `${sizeKiB / 1024 / 1024}Gi`;
  return sizeKiB % 1024 === 0 ? `${sizeKiB / 1024}Mi` : `${sizeKiB}Ki`;
}

function sumOf(lists: readonly unknown[], resource: string, factor: number): number {
  return lists.reduce<number>((sum, list) => sum + (isObject(list) ? bytesOf(list[resource]) * factor : 0), 0);
}

function bytesOf(value: unknown): number {
  const quantity = stringOf(value);
  return isQuantity(quantity) ? approximately(parseQuantity(quantity)) : 0;
}

function stringOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

type Failed = KubeletStart & { type: "failed" };

function failed(message: string): Failed {
  return { type: "failed", message };
}

async function text(host: Files, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

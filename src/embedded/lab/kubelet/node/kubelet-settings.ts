import { cpusOf } from "../../../../language/cpu/cpu-list.ts";
import { difference, formatRanges, isSubset } from "../../../../language/cpu/cpu-set.ts";
import { isObject, type JsonObject } from "../../../../language/object/json.ts";
import { approximately, isQuantity, parseQuantity } from "../../../../language/object/quantity.ts";
import type { Host } from "../../../../node/host/host.ts";
import { findUnit } from "../../../../node/host/unit-files.ts";

/** What a kubelet offers, by its configuration and the machine at its start. */
export interface KubeletSettings {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

export type KubeletStart =
  | { readonly type: "started"; readonly settings: KubeletSettings }
  /** It ends with this message, and the Node stays as it is. */
  | { readonly type: "failed"; readonly message: string };

const statePath = "/var/lib/kubelet/cpu_manager_state";

type Files = Pick<Host, "read" | "list" | "real" | "replace">;

/** Starts the kubelet as far as its Node shows it: configuration, CPU manager, huge pages. */
export async function startKubelet(host: Files, memoryMiB: number): Promise<KubeletStart> {
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
  const state = await checkState(host, { policy, online, reserved });
  if (state !== undefined) return failed(state);

  const pages = await hugePages(host);
  const pagesKiB = pages.reduce((sum, { sizeKiB, count }) => sum + sizeKiB * count, 0);
  const eviction = isObject(configuration["evictionHard"]) ? configuration["evictionHard"]["memory.available"] : "0";
  const heldKiB = Math.ceil((sumOf(reservations, "memory", 1) + bytesOf(eviction)) / 1024);
  const capacity = {
    cpu: String(online.length),
    memory: `${memoryMiB * 1024}Ki`,
    pods: stringOf(configuration["maxPods"]) || "110",
    ...Object.fromEntries(pages.map(({ name, sizeKiB, count }) => [name, `${sizeKiB * count}Ki`])),
  };
  const allocatable = {
    ...capacity,
    cpu: `${online.length * 1000 - reservedCpu}m`,
    memory: `${Math.max(0, memoryMiB * 1024 - pagesKiB - heldKiB)}Ki`,
  };
  return { type: "started", settings: { capacity, allocatable } };
}

/** The file that the kubelet's unit names, and over it the files of its drop-in directory in order of their names. */
async function readConfiguration(
  host: Files,
): Promise<{ type: "read"; configuration: JsonObject } | (KubeletStart & { type: "failed" })> {
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

/** The state of the CPU manager outlives boots. A kubelet does not start with the state of another policy or other CPUs. */
async function checkState(
  host: Files,
  { policy, online, reserved }: { policy: string; online: readonly number[]; reserved: readonly number[] },
): Promise<string | undefined> {
  const advice = `drain the node and remove ${statePath}`;
  const content = await text(host, statePath);
  if (content !== undefined) {
    const known = JSON.parse(content) as { policyName?: string; defaultCpuSet?: string };
    if (known.policyName !== policy)
      return `CPU manager: policy is ${policy}, the state was written by ${known.policyName}: ${advice}`;
    const cpus = cpusOf(known.defaultCpuSet ?? "");
    if (policy === "static" && (!isSubset(reserved, cpus) || formatRanges(cpus) !== formatRanges(online)))
      return `CPU manager: the state has CPUs ${known.defaultCpuSet}, the machine ${formatRanges(online)}: ${advice}`;
    return undefined;
  }
  const state = { policyName: policy, defaultCpuSet: policy === "static" ? formatRanges(online) : "" };
  // Without a configuration there is nothing that a later one could contradict.
  if (policy !== "none") await host.replace(statePath, JSON.stringify(state));
  return undefined;
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

function failed(message: string): { type: "failed"; message: string } {
  return { type: "failed", message };
}

async function text(host: Files, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

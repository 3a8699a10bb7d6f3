import { equal, get, isObject, type JsonObject } from "../../../language/object/json.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { readYaml, YamlError } from "../../../language/object/yaml.ts";
import { consistentReservation } from "../kubelet-config/consistent-reservation.ts";
import { kubeletHeader } from "../kubelet-config/kubelet-defaults.ts";
import { plainPath } from "../kubelet-config/kubelet-files.ts";
import type { MachineContents, MachineFile } from "../machine-contents.ts";
import { mergeSettings } from "../pool-configs/settings.ts";
import type { KubeletFacts } from "./host-facts.ts";

/** Read after the files of others, whose names begin with smaller numbers. */
const dropInName = "90-attune.conf";

export interface OnHost {
  readonly files: readonly MachineFile[];
  readonly findings: readonly string[];
}

/** How what KubeletConfigs set gets to the kubelet of this host: as a drop-in, or merged into its own file. */
export function kubeletOnHost(contents: MachineContents, kubelet: KubeletFacts | undefined): OnHost {
  const own = fieldsOfFile(contents.files.find(({ path }) => path === plainPath));
  if (!own) return { files: [], findings: [] };
  if (!kubelet) return { files: [], findings: ["KubeletConfigs have no effect: no kubelet was found on this node"] };
  const { config, dropInFolder } = kubelet;
  const base = config?.text === undefined ? {} : fieldsIn(config.text);
  const findings = [...flagsThatWin(own, kubelet), ...cannotStart(mergeSettings(base, own))];
  // A kubelet that does not start is worse than one with its former configuration.
  if (findings.some((finding) => finding.startsWith("KubeletConfigs have no effect"))) return { files: [], findings };
  if (dropInFolder !== undefined)
    return { files: [fileOf(`${dropInFolder}/${dropInName}`, dropIn(own, base), 0o644)], findings };
  if (config?.text !== undefined) {
    const merged = consistentReservation(mergeSettings(base, own), own);
    return { files: [fileOf(config.path, merged, config.mode)], findings };
  }
  const advice = "start it with --config-dir, or with --config and a file";
  return { files: [], findings: [`KubeletConfigs have no effect: this node's kubelet reads no files: ${advice}`] };
}

/** What KubeletConfigs set, from the file that holds it; undefined if there is none. */
export function fieldsOfFile(file: MachineFile | undefined): JsonObject | undefined {
  if (!file) return undefined;
  const { apiVersion: _, kind: _kind, ...fields } = fieldsIn(new TextDecoder().decode(file.bytes));
  return fields;
}

/** Own fields, and those of the host that they do not go together with: an empty value is the kubelet's own default. */
function dropIn(own: JsonObject, base: JsonObject): JsonObject {
  const merged = mergeSettings(base, own);
  const consistent = consistentReservation(merged, own);
  const corrected = Object.entries(merged).flatMap(([name, value]): [string, unknown][] => {
    if (equal(get(consistent, name), value)) return [];
    return [[name, get(consistent, name) ?? ""]];
  });
  return { ...own, ...Object.fromEntries(corrected) } as JsonObject;
}

/** Combinations with which no kubelet starts. */
function cannotStart(merged: JsonObject): readonly string[] {
  if (get(merged, "cpuManagerPolicy") !== "static" || get(merged, "reservedSystemCPUs")) return [];
  const reserved = ["kubeReserved", "systemReserved"].map((name) => get(get(merged, name), "cpu"));
  if (reserved.some((cpu) => cpu !== undefined && cpu !== "" && cpu !== "0")) return [];
  return [
    "KubeletConfigs have no effect: the static policy of the CPU manager needs reserved CPUs: set reservedSystemCPUs",
  ];
}

/** Names of flags that are not those of their fields. */
const flagNames: Readonly<Record<string, string>> = {
  reservedSystemCPUs: "reserved-cpus",
  clusterDNS: "cluster-dns",
  podCIDR: "pod-cidr",
  cpuCFSQuota: "cpu-cfs-quota",
  podPidsLimit: "pod-max-pids",
};

function flagsThatWin(own: JsonObject, { flags }: KubeletFacts): readonly string[] {
  return Object.keys(own).flatMap((field) => {
    const flag = flagNames[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (!Object.hasOwn(flags, flag)) return [];
    return [`${field} of KubeletConfigs has no effect: the kubelet is started with --${flag}=${flags[flag]}`];
  });
}

function fileOf(path: string, fields: JsonObject, mode: number): MachineFile {
  return { path, mode, bytes: new TextEncoder().encode(writeYaml({ ...kubeletHeader, ...fields })) };
}

/** Of a file that its kubelet reads, or that Attune wrote. */
export function fieldsIn(text: string): JsonObject {
  try {
    const value = readYaml(text);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof YamlError) return {};
    throw error;
  }
}

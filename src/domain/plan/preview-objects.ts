import type { KubeObject } from "../../language/object/meta.ts";
import { hashOf } from "../../language/object/hash.ts";
import { at, isObject, type JsonObject } from "../../language/object/json.ts";
import { isGenerated } from "../node-tuning/api.ts";
import { isDerived } from "../performance-profile/names.ts";
import { workloadFiles } from "../workload-partitioning/crio-workloads.ts";

/**
 * An object of a cluster as far as previews of a PerformanceProfile depend on it. The files of
 * MachineConfigs that Attune did not derive become hashes: they may be confidential, and are the same before and after.
 */
export function previewObject<T extends KubeObject>(object: T): T {
  switch (object.kind) {
    case "Node":
      return previewNode(object) as T;
    case "Profile":
      return previewProfile(object) as T;
    case "MachineConfig":
      return previewMachineConfig(object) as T;
    default:
      return withoutHistory(object);
  }
}

function previewNode(node: KubeObject): KubeObject {
  const { metadata } = withoutHistory(node);
  const info = at(node, "status", "nodeInfo");
  const fact = (name: string): object => (at(info, name) === undefined ? {} : { [name]: at(info, name) });
  const conditions = at(node, "status", "conditions");
  const { spec } = node as { spec?: { providerID?: string; unschedulable?: boolean; taints?: unknown[] } };
  return {
    apiVersion: node.apiVersion,
    kind: node.kind,
    metadata,
    ...(spec ? { spec } : {}),
    status: {
      capacity: {
        cpu: at(node, "status", "capacity", "cpu"),
        memory: at(node, "status", "capacity", "memory"),
      },
      nodeInfo: {
        ...fact("architecture"),
        ...fact("kernelVersion"),
        ...fact("containerRuntimeVersion"),
      },
      conditions: (Array.isArray(conditions) ? conditions : []).filter(isObject).map(({ type, status }) => ({
        type,
        status,
      })),
    },
  };
}

/** Results of settings are most of it, and change often. */
function previewProfile(profile: KubeObject): KubeObject {
  const { status, ...kept } = withoutHistory(profile) as KubeObject & { status?: Record<string, unknown> };
  if (!status) return kept;
  const { settings: _, settingsOmitted: _omitted, exceptions: _exceptions, ...rest } = status;
  return { ...kept, status: rest };
}

function previewMachineConfig(config: KubeObject): KubeObject {
  const kept = withoutHistory(config) as KubeObject & { spec?: Record<string, unknown> };
  if (isDerived(config) || isGenerated(config.metadata) || !kept.spec) return kept;
  const { config: ignition, ...others } = kept.spec;
  return {
    ...kept,
    spec: { ...others, config: isObject(ignition) ? withoutContents(config, ignition) : ignition },
  };
}

/** Each text becomes its hash. Of a table of CRI-O workloads its header is left, by which findings know it. */
function withoutContents(config: KubeObject, { ignition, storage, systemd }: JsonObject): JsonObject {
  const tables = new Set(workloadFiles(config).map(({ path }) => path));
  const files = objectsIn(storage, "files").map(({ path, mode, overwrite, contents }) => {
    const table = tables.has(path as string) ? encodeURIComponent("[crio.runtime.workloads.other]\n#") : "";
    return { path, mode, overwrite, contents: { source: `data:,${table}${hashOf(contents)}` } };
  });
  const units = objectsIn(systemd, "units").map(({ contents, dropins, ...unit }) => ({
    ...unit,
    ...(contents === undefined ? {} : { contents: `# ${hashOf(contents)}` }),
    ...(dropins === undefined
      ? {}
      : {
          dropins: objectsIn({ dropins }, "dropins").map(({ name, contents }) => ({
            name,
            contents: `# ${hashOf(contents)}`,
          })),
        }),
  }));
  return {
    ignition,
    ...(storage ? { storage: { files } } : {}),
    ...(systemd ? { systemd: { units } } : {}),
  } as JsonObject;
}

function objectsIn(value: unknown, name: string): readonly JsonObject[] {
  const list = at(value, name);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function withoutHistory<T extends KubeObject>(object: T): T {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...kept } = annotations ?? {};
  return { ...object, metadata: { ...metadata, ...(annotations ? { annotations: kept } : {}) } };
}

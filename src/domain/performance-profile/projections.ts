import type { MachineConfigPool } from "../machine-config/api.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject, ObjectMeta } from "../../language/object/meta.ts";
import { workloadFiles } from "../workload-partitioning/crio-workloads.ts";

/*
 * Only the fields that `surroundingsOf` reads, so that a cache of thousands of nodes is a few megabytes.
 */

export function projectNode(node: KubeObject): KubeObject {
  const architecture = at(node, "status", "nodeInfo", "architecture");
  const cpu = at(node, "status", "capacity", "cpu");
  const memory = at(node, "status", "capacity", "memory");
  return { ...named(node), status: { nodeInfo: { architecture }, capacity: { cpu, memory } } };
}

export function projectPerformanceProfile(profile: KubeObject): KubeObject {
  return { ...named(profile), spec: { nodeSelector: at(profile, "spec", "nodeSelector") } };
}

/** Of node tuning's Profiles. */
export function projectProfile(profile: KubeObject): KubeObject {
  const hardware = at(profile, "status", "hardware");
  const hostProfiles = at(profile, "status", "hostProfiles");
  const status = {
    ...(hardware === undefined ? {} : { hardware }),
    ...(hostProfiles === undefined ? {} : { hostProfiles }),
  };
  return { ...named(profile), ...(Object.keys(status).length > 0 ? { status } : {}) };
}

export function projectMachineConfig(config: KubeObject): KubeObject {
  const files = workloadFiles(config);
  return { ...named(config), ...(files.length > 0 ? { spec: { config: { storage: { files } } } } : {}) };
}

export function projectPool(pool: MachineConfigPool): MachineConfigPool {
  const { spec } = pool;
  return { ...named(pool), ...(spec ? { spec } : {}) };
}

function named({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, labels } = metadata;
  const kept: ObjectMeta = { name, ...(namespace === undefined ? {} : { namespace }), ...(labels ? { labels } : {}) };
  return { apiVersion, kind, metadata: kept };
}

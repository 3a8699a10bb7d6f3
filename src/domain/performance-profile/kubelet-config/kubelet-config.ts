import { formatRanges, union } from "../../../language/cpu/cpu-set.ts";
import { apiVersion, type KubeletConfig, roleLabel } from "../../machine-config/api.ts";
import { get, isObject, type JsonObject } from "../../../language/object/json.ts";
import { type DerivationInput, mixesCpus } from "../derivation.ts";
import { derivedNames } from "../names.ts";
import { alignsMemory, reservedMemory } from "./reserved-memory.ts";

/** How the kubelets of the profile's nodes allocate CPUs and memory. */
export function kubeletConfigOf(input: DerivationInput): KubeletConfig {
  const { facts } = input;
  return {
    apiVersion,
    kind: "KubeletConfig",
    metadata: { name: derivedNames(facts.name).kubeletConfig },
    spec: {
      machineConfigPoolSelector: { matchLabels: { ...poolLabels(input) } },
      kubeletConfig: {
        ...(facts.dra ? withoutManagers(facts.kubelet) : withManagers(input)),
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
      },
    },
  };
}

/** Labels of the pools that it is for. None: nothing selects them. */
export function poolLabels({ facts, pool }: DerivationInput): Readonly<Record<string, string>> {
  const { poolSelector, role } = facts;
  if (poolSelector) return poolSelector;
  if (pool) return pool.metadata.labels ?? {};
  return role === undefined ? {} : { [roleLabel]: role };
}

/** A DRA driver allocates CPUs and memory: with the kubelet's managers as well, two pods would get the same CPU. */
function withoutManagers({ cpuManagerPolicyOptions: _, ...fields }: JsonObject): JsonObject {
  return { ...fields, cpuManagerPolicy: "none", topologyManagerPolicy: "none", memoryManagerPolicy: "None" };
}

function withManagers(input: DerivationInput): JsonObject {
  const { facts } = input;
  const { kubelet, topologyPolicy } = facts;
  const options = part(kubelet, "cpuManagerPolicyOptions");
  const reserved = { memory: "500Mi" };
  const fields: JsonObject = {
    ...kubelet,
    cpuManagerPolicy: "static",
    cpuManagerReconcilePeriod: "5s",
    topologyManagerPolicy: topologyPolicy,
    reservedSystemCPUs: reservedCpus(input),
    evictionHard: {
      "memory.available": "100Mi",
      "nodefs.available": "10%",
      "imagefs.available": "15%",
      "nodefs.inodesFree": "5%",
      ...part(kubelet, "evictionHard"),
    },
    kubeReserved: { ...reserved, ...part(kubelet, "kubeReserved") },
    systemReserved: { ...reserved, ...part(kubelet, "systemReserved") },
    // Threads of a core share its caches: a pod with half a core would be disturbed by another.
    ...(topologyPolicy === "single-numa-node"
      ? { cpuManagerPolicyOptions: { "full-pcpus-only": "true", ...options } }
      : {}),
  };
  return alignsMemory(facts) ? { ...fields, memoryManagerPolicy: "Static", ...reservedMemory(fields) } : fields;
}

/** CPUs that no pod gets exclusively. */
function reservedCpus(input: DerivationInput): string {
  const { reserved, shared, ovsDpdk } = input.facts.cpus;
  const taken = union(reserved.cpus, ovsDpdk?.cpus ?? []);
  return formatRanges(mixesCpus(input) ? union(taken, shared?.cpus ?? []) : taken);
}

function part(fields: JsonObject, name: string): JsonObject {
  const value = get(fields, name);
  return isObject(value) ? value : {};
}

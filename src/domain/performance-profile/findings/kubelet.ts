import { get, type Json } from "../../../language/object/json.ts";
import { child } from "../../../language/schema/path.ts";
import { annotations as names } from "../api.ts";
import { kubeletFieldsPath, readKubeletFields } from "../kubelet-config/kubelet-fields.ts";
import { parseFields } from "../read/read-annotations.ts";
import { alignsMemory } from "../kubelet-config/reserved-memory.ts";
import { advice, type Check } from "./check.ts";
import type { Judged } from "./judged.ts";

export const kubeletFieldUnknown: Check = {
  name: "KubeletFieldUnknown",
  severity: "warning",
  faults: ({ annotations }) => {
    const text = get(annotations, names.experimentalKubelet);
    const read = typeof text === "string" ? parseFields(text) : {};
    if (typeof read === "string") return [];
    return readKubeletFields(read).unknown.map((field) =>
      advice(child(kubeletFieldsPath, field), "is not a field of a KubeletConfiguration and is ignored"),
    );
  },
};

export const kubeletFieldOverridden: Check = {
  name: "KubeletFieldOverridden",
  severity: "warning",
  faults: (judged) =>
    Object.entries(decided(judged)).flatMap(([name, { value, by }]) => {
      const given = get(judged.kubelet, name);
      if (given === undefined || given === value) return [];
      return [advice(child(kubeletFieldsPath, name), `has no effect: ${by} sets it`)];
    }),
};

/** Fields that the annotation cannot change, and what sets them. Without a value, any value of the annotation is ignored. */
function decided({ dra, spec }: Judged): Record<string, { value?: Json; by: string }> {
  if (dra) {
    const by = `the annotation ${names.dra}`;
    return {
      cpuManagerPolicy: { value: "none", by },
      cpuManagerPolicyOptions: { by },
      topologyManagerPolicy: { value: "none", by },
      memoryManagerPolicy: { value: "None", by },
    };
  }
  const topologyPolicy = spec.numa?.topologyPolicy ?? "best-effort";
  return {
    cpuManagerPolicy: { value: "static", by: "the profile" },
    cpuManagerReconcilePeriod: { value: "5s", by: "the profile" },
    topologyManagerPolicy: { value: topologyPolicy, by: "spec.numa.topologyPolicy" },
    reservedSystemCPUs: { by: "spec.cpu" },
    ...(alignsMemory({ topologyPolicy })
      ? { memoryManagerPolicy: { value: "Static", by: "spec.numa.topologyPolicy" } }
      : {}),
  };
}

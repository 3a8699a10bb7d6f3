import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { fnv32a } from "../../src/language/object/hash.ts";
import type { RecordedConfigMap } from "./cases.ts";

const prefix = "hypershift.openshift.io/";

/** A ConfigMap that a case writes. */
export type InputConfigMap = RecordedConfigMap;

/** Names of derived ConfigMaps: `cm` is the ConfigMap of the profile, `pp` the name of the profile in it. */
export const childNames = {
  shipped: {
    Tuned: (cm: string) => `tuned-${cm}`,
    MachineConfig: (cm: string) => `machineconfig-${cm}`,
    KubeletConfig: (cm: string) => `kubeletconfig-${cm}`,
    status: (cm: string) => `status-${cm}`,
  },
  documented: {
    Tuned: (_: string, pp: string) => `tuned-${pp}`,
    MachineConfig: (_: string, pp: string) => `mc-${pp}`,
    KubeletConfig: (_: string, pp: string) => `kc-${pp}`,
    status: (_: string, pp: string) => `${pp}-status`,
  },
} as const;

export type ChildKind = keyof typeof childNames.shipped;

/** Labels of derived ConfigMaps that say what they hold. */
export const marks: Readonly<Record<Protocol, Readonly<Record<ChildKind, readonly string[]>>>> = {
  shipped: {
    Tuned: ["tuned-config"],
    MachineConfig: ["nto-generated-machine-config"],
    KubeletConfig: ["kubeletconfig-config", "nto-generated-machine-config"],
    status: ["nto-generated-performance-profile-status"],
  },
  documented: {
    Tuned: ["tuned-config"],
    MachineConfig: ["nto-generated-machine-config"],
    KubeletConfig: ["nto-generated-kubelet-config"],
    status: ["nto-generated-performance-profile-status"],
  },
};

export const hashed = (profile: string, nodePool: string): string => `${profile}-${fnv32a(nodePool)}`;

/** A ConfigMap of a recording, in the names of a column: the documented one has another key and another name inside. */
export function withColumn(recorded: RecordedConfigMap, protocol: Protocol): RecordedConfigMap {
  if (protocol === "shipped") return recorded;
  const { tuning, ...others } = recorded.data;
  if (tuning === undefined) return recorded;
  const isProfile = recorded.labels && `${prefix}performanceprofile-config` in recorded.labels;
  const pool = poolOf(recorded);
  const text = isProfile && Array.isArray(tuning) ? tuning.map((one: object) => embedded(one, pool)) : tuning;
  return { ...recorded, data: { ...others, tuned: text } };
}

export function poolOf({ labels, annotations }: RecordedConfigMap): string {
  return annotations?.[`${prefix}nodePool`]?.split("/").at(-1) ?? labels?.[`${prefix}nodePool`] ?? "";
}

function embedded(manifest: object, pool: string): object {
  const { profile, kind, metadata } = manifest as { profile?: string; kind?: string; metadata?: { name?: string } };
  const name = profile ?? (kind === "PerformanceProfile" ? metadata?.name : undefined);
  if (name === undefined) return manifest;
  const marked = { ...metadata, name: hashed(name, pool), labels: { [`${prefix}nodePoolName`]: pool } };
  return profile === undefined ? { ...manifest, metadata: marked } : { ...basic, metadata: marked };
}

const basic = {
  apiVersion: "performance.openshift.io/v2",
  kind: "PerformanceProfile",
  spec: { cpu: { isolated: "1-3", reserved: "0" }, nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" } },
};

/** The profile that a ConfigMap of a case has, by the name that its author gave it. */
function profileIn({ data }: RecordedConfigMap): string {
  const [text] = Object.values(data);
  const [first] = Array.isArray(text) ? (text as { profile?: string; metadata?: { name?: string } }[]) : [];
  return first?.profile ?? first?.metadata?.name?.replace(/-[0-9a-f]{8}$/, "") ?? "perf";
}

/** The name that a ConfigMap of the recording has in a column. */
export function nameInColumn(
  recorded: string,
  inputs: ReadonlyMap<string, InputConfigMap>,
  protocol: Protocol,
): string {
  for (const kind of Object.keys(childNames.shipped) as ChildKind[])
    for (const [cm, input] of inputs)
      if (childNames.shipped[kind](cm) === recorded)
        return childNames[protocol][kind](cm, hashed(profileIn(input), poolOf(input)));
  return recorded;
}

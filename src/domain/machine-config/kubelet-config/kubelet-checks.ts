import { parseCpuset } from "../../../language/cpu/kubernetes-cpuset.ts";
import { at, get, isObject, type JsonObject, text } from "../../../language/object/json.ts";
import { isQuantity } from "../../../language/object/quantity.ts";
import { type FieldError, forbidden, invalid, notSupported } from "../../../language/schema/field-error.ts";
import { child, key } from "../../../language/schema/path.ts";

/** The path of a KubeletConfig's own fields. */
export const fieldsPath = "spec.kubeletConfig";
const pathOf = (name: string): string => child(fieldsPath, name);

/** What the whole cluster must agree on. `anyValue`: even false is a choice. */
const notForOnePool: readonly { readonly path: readonly string[]; readonly anyValue?: boolean }[] = [
  { path: ["cgroupDriver"] },
  { path: ["clusterDNS"] },
  { path: ["clusterDomain"] },
  { path: ["featureGates"] },
  { path: ["failSwapOn"], anyValue: true },
  { path: ["memorySwap", "swapBehavior"] },
];

export function clusterWideFields(fields: JsonObject): readonly FieldError[] {
  return notForOnePool.flatMap(({ path, anyValue = false }) => {
    const value = at(fields, ...path);
    if (value === undefined || (!anyValue && isEmpty(value))) return [];
    return [forbidden(pathOf(path.join(".")), "it is the same for the whole cluster, and no KubeletConfig may set it")];
  });
}

/** The fields without those that `clusterWideFields` refuses: empty values of these are no choice. */
export function withoutClusterWide(fields: JsonObject): JsonObject {
  const { cgroupDriver: _c, clusterDNS: _d, clusterDomain: _n, featureGates: _g, memorySwap: _m, ...rest } = fields;
  return rest;
}

const choices: Readonly<Record<string, readonly string[]>> = {
  cpuManagerPolicy: ["none", "static"],
  memoryManagerPolicy: ["None", "Static"],
  topologyManagerPolicy: ["none", "best-effort", "restricted", "single-numa-node"],
  topologyManagerScope: ["container", "pod"],
};

/** Values of the right type with which no kubelet starts. */
export function unusableValues(fields: JsonObject): readonly FieldError[] {
  const problems: FieldError[] = [];
  for (const [name, supported] of Object.entries(choices)) {
    const value = get(fields, name);
    if (typeof value === "string" && value !== "" && !supported.includes(value))
      problems.push(notSupported(pathOf(name), value, supported));
  }
  const cpus = get(fields, "reservedSystemCPUs");
  if (typeof cpus === "string" && parseCpuset(cpus).type !== "cpus")
    problems.push(invalid(pathOf("reservedSystemCPUs"), cpus, "must be a list of CPUs such as 0-3,8"));
  for (const name of ["kubeReserved", "systemReserved"])
    for (const [resource, amount] of Object.entries(objectAt(fields, name)))
      if (typeof amount === "string" && amount !== "" && !isQuantity(amount))
        problems.push(invalid(key(pathOf(name), resource), amount, "must be an amount such as 500m or 1Gi"));
  return problems;
}

/** Numbers that no kubelet can have: it reads 0 as this. */
const insteadOfZero: Readonly<Record<string, number>> = {
  eventBurst: 100,
  kubeAPIBurst: 100,
  maxOpenFiles: 1_000_000,
  maxPods: 110,
  nodeLeaseDurationSeconds: 40,
  port: 10250,
  registryBurst: 10,
};

export function zerosWithoutEffect(fields: JsonObject): readonly string[] {
  return Object.entries(insteadOfZero).flatMap(([name, instead]) =>
    get(fields, name) === 0 ? [`${pathOf(name)}: the kubelet reads 0 as ${instead}`] : [],
  );
}

/** The control group that is limited must be the one that the system's processes are in. */
export function reservedGroupDiffers(fields: JsonObject): readonly FieldError[] {
  const limited = get(fields, "systemReservedCgroup");
  const used = get(fields, "systemCgroups");
  if (!limited || !used || limited === used) return [];
  return [invalid(pathOf("systemReservedCgroup"), limited, `must equal systemCgroups, which is ${text(used)}`)];
}

export interface StaticPodPool {
  readonly name: string;
  readonly isControlPlane: boolean;
}

/** The pods of a control plane are started from the path that it has; on other nodes nothing may be started without the API. */
export function staticPodPath(fields: JsonObject, pools: readonly StaticPodPool[]): readonly FieldError[] {
  const value = get(fields, "staticPodPath");
  if (value === undefined) return [];
  return pools.flatMap(({ name, isControlPlane }) => {
    if (isControlPlane) return [forbidden(pathOf("staticPodPath"), `pool ${name} is of the control plane`)];
    return value === "" ? [] : [invalid(pathOf("staticPodPath"), value, `must be empty for pool ${name}`)];
  });
}

export function objectAt(fields: JsonObject, name: string): JsonObject {
  const value = get(fields, name);
  return isObject(value) ? value : {};
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : value === "";
}

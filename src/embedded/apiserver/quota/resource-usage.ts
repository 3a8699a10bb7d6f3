import type { Container, PersistentVolumeClaim, Pod, PodSpec, Service } from "kubernetes-types/core/v1.js";
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../../../language/object/quantity.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

/** Amounts by the names that a ResourceQuota limits: `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Amounts = Map<string, Quantity>;

const one = parseQuantity("1");
const zero = parseQuantity("0");

/** Kinds that a quota counts by their plain name, besides `count/…`. */
const plainlyCounted = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);
const storageClassSuffix = ".storageclass.storage.k8s.io/";

/** The collection whose objects use a resource. */
export function collectionUsing(resource: string): string {
  if (resource.startsWith("count/")) return resource.slice("count/".length);
  if (resource.startsWith("services.")) return "services";
  if (resource === "requests.storage" || resource.includes(storageClassSuffix)) return "persistentvolumeclaims";
  return plainlyCounted.has(resource) ? resource : "pods";
}

/** What one object uses. */
export function usageOf(collection: string, object: KubeObject): Amounts {
  const usage: Amounts = new Map([[`count/${collection}`, one]]);
  if (collection === "pods") addPod(usage, object as Pod);
  else if (plainlyCounted.has(collection)) usage.set(collection, one);
  if (collection === "services") addService(usage, object as Service);
  if (collection === "persistentvolumeclaims") addClaim(usage, object as PersistentVolumeClaim);
  return usage;
}

export function addAmounts(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, addQuantities(total.get(name) ?? zero, amount));
}

/** A pod that has ended uses nothing but its place in storage. */
function addPod(usage: Amounts, { spec, status }: Pod): void {
  if (!spec || status?.phase === "Succeeded" || status?.phase === "Failed") return;
  usage.set("pods", one);
  for (const [name, amount] of podAmounts(spec, "requests")) {
    usage.set(`requests.${name}`, amount);
    // Without a prefix, standard resources mean requests.
    if (!name.includes("/")) usage.set(name, amount);
  }
  for (const [name, amount] of podAmounts(spec, "limits")) usage.set(`limits.${name}`, amount);
}

/** As the scheduler counts: containers together, or a larger init container with the sidecars started before it; and overhead. */
function podAmounts(spec: PodSpec, side: "requests" | "limits"): Amounts {
  const amountsOf = (list: Readonly<Record<string, string>> | undefined): Amounts =>
    new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
  const staying: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[side]);
    const together = new Map(staying);
    addAmounts(together, own);
    if ((container as Container & { restartPolicy?: string }).restartPolicy === "Always") addAmounts(staying, own);
    raise(peak, together);
  }
  for (const { resources } of spec.containers) addAmounts(staying, amountsOf(resources?.[side]));
  raise(staying, peak);
  addAmounts(staying, amountsOf(spec.overhead));
  return staying;
}

function raise(total: Amounts, least: Amounts): void {
  for (const [name, amount] of least)
    if (compareQuantities(amount, total.get(name) ?? zero) > 0) total.set(name, amount);
}

function addService(usage: Amounts, { spec = {} }: Service): void {
  const hasNodePorts =
    spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
  if (hasNodePorts) usage.set("services.nodeports", parseQuantity(String(spec.ports?.length ?? 0)));
  if (spec.type === "LoadBalancer") usage.set("services.loadbalancers", one);
}

function addClaim(usage: Amounts, { spec, metadata }: PersistentVolumeClaim): void {
  const text = spec?.resources?.requests?.["storage"];
  const amount = text === undefined ? zero : parseQuantity(text);
  usage.set("requests.storage", amount);
  const named = spec?.storageClassName ?? metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  if (!named) return;
  usage.set(`${named}${storageClassSuffix}requests.storage`, amount);
  usage.set(`${named}${storageClassSuffix}persistentvolumeclaims`, one);
}

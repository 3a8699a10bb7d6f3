import type { Service, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import type { Held } from "../../../allocation/service-pools.ts";

export const specOf = (object: KubeObject): ServiceSpec => (object as Service).spec ?? {};

/** Without a cluster IP: DNS resolves the service to its pods. */
export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None";

export const needsAddress = ({ type }: ServiceSpec): boolean => type !== "ExternalName";

export const hasNodePorts = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer";

export const isReachedFromOutside = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && externalIPs.length > 0);

/** With externalTrafficPolicy Local, the load balancer checks on each node whether it has a pod. */
export const needsHealthPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/** A set: a service may use a node port for several protocols. */
export function nodePortsOf({ ports = [] }: ServiceSpec): Set<number> {
  return new Set(ports.flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
}

export function heldByService(service: KubeObject): Held {
  const spec = specOf(service);
  const ports = nodePortsOf(spec);
  if (spec.healthCheckNodePort) ports.add(spec.healthCheckNodePort);
  return { addresses: (spec.clusterIPs ?? []).filter((address) => address !== "None"), ports: [...ports] };
}

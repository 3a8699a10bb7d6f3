import type { Service, ServiceSpec } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../../language/object/json.ts";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import {
  hasNodePorts,
  isReachedFromOutside,
  needsAddress,
  needsHealthPort,
  nodePortsOf,
  specOf,
} from "./service-spec.ts";

/** When the type changes, removes fields that only the old type has, unless the update sets them anew. */
export function dropFieldsOfOldType(object: KubeObject, old: KubeObject): void {
  const spec = specOf(object);
  const before = specOf(old);
  if (needsAddress(before) && !needsAddress(spec)) {
    if (spec.clusterIP === before.clusterIP && equal(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (equal(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
    // Has no effect without an address: kube-apiserver does not return it.
    delete spec.internalTrafficPolicy;
  }
  if (hasNodePorts(before) && !hasNodePorts(spec) && addsNoPort(spec, before))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthPort(before) && !needsHealthPort(spec) && spec.healthCheckNodePort === before.healthCheckNodePort)
    delete spec.healthCheckNodePort;
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts)
      delete spec.allocateLoadBalancerNodePorts;
    if (spec.loadBalancerClass === before.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (
    isReachedFromOutside(before) &&
    !isReachedFromOutside(spec) &&
    spec.externalTrafficPolicy === before.externalTrafficPolicy
  )
    delete spec.externalTrafficPolicy;
  if (spec.type !== "LoadBalancer") object.status = { ...(object as Service).status, loadBalancer: {} };
}

function addsNoPort(spec: ServiceSpec, before: ServiceSpec): boolean {
  const had = nodePortsOf(before);
  return [...nodePortsOf(spec)].every((port) => had.has(port));
}

import type { Service, ServiceStatus } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { isReachedFromOutside, specOf } from "./service-spec.ts";

const threeHours = 10_800;

export function defaults(object: KubeObject): void {
  const spec = ((object as Service).spec ??= {});
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: threeHours } };
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port;
  }
  if (isReachedFromOutside(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  defaultStatus(object);
}

function defaultStatus(object: KubeObject): void {
  const status = (object.status ??= {}) as ServiceStatus;
  const balancer = (status.loadBalancer ??= {});
  if (specOf(object).type !== "LoadBalancer") return;
  for (const ingress of balancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
}

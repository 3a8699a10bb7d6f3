import type { Service, ServiceStatus } from "kubernetes-types/core/v1.js";
import { dns1035Label } from "../../../../../language/object/names.ts";
import { defineKind } from "../../define-kind.ts";
import { allocate } from "./allocate.ts";
import { columns } from "./columns.ts";
import { dropFieldsOfOldType } from "./type-change.ts";
import { specOf, isReachedFromOutside } from "./service-spec.ts";
import { validate, validateStatus, validateUpdate } from "./validate.ts";
import type { KubeObject } from "../../../../../language/object/meta.ts";

export const service = defineKind({
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  shortNames: ["svc"],
  categories: ["all"],
  namespaced: true,
  selectableFields: {
    "spec.clusterIP": (object) => specOf(object).clusterIP ?? "",
    "spec.type": (object) => specOf(object).type ?? "",
  },
  columns,
  strategy: {
    defaults,
    allocate,
    prepareForCreate: (object) => {
      object.status = { loadBalancer: {} };
    },
    prepareForUpdate: dropFieldsOfOldType,
    validate,
    validateUpdate,
    warnings,
    validateName: dns1035Label,
    createOnUpdate: true,
    ignoredFields: ["status"],
    returnDeleted: true,
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});

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

/** Warnings about fields that have no effect. */
export function warnings(object: KubeObject): string[] {
  const { type, clusterIP, loadBalancerIP, externalIPs = [], externalName, sessionAffinity, ...spec } = specOf(object);
  const found: string[] = [];
  if (type === "ClusterIP" && clusterIP === "None") {
    if (loadBalancerIP) found.push("spec.loadBalancerIP is ignored for headless services");
    if (externalIPs.length > 0) found.push("spec.externalIPs is ignored for headless services");
    if (sessionAffinity !== "None") found.push("spec.SessionAffinity is ignored for headless services");
  }
  if (type === "ExternalName" && externalIPs.length > 0)
    found.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== "ExternalName" && externalName)
    found.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return found;
}

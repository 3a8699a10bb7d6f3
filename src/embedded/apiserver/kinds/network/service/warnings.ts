import type { KubeObject } from "../../../../../language/object/meta.ts";
import { specOf } from "./service-spec.ts";

/** What a service says without effect. */
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

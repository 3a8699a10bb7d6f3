import type { Service, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { qualifiedName } from "../../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { parseCidr } from "../../../../../language/schema/ip.ts";
import { validPort } from "../../bounds.ts";
import { isReachedFromOutside, needsHealthPort } from "./service-spec.ts";

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const policies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const day = 86_400;

export function validateAffinity({ sessionAffinity: kind, sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const at = "spec.sessionAffinity";
  if (!kind) return [required(at)];
  if (kind === "None")
    return sessionAffinityConfig ? [forbidden(`${at}Config`, "must not be set when session affinity is None")] : [];
  if (kind !== "ClientIP") return [notSupported(at, kind, ["ClientIP", "None"])];
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  return timeout > 0 && timeout <= day
    ? []
    : [invalid(`${at}Config.clientIP.timeoutSeconds`, timeout, `must be greater than 0 and less than ${day}`)];
}

/** Fields of load balancers: source ranges, node ports, class. */
export function validateBalancing(object: KubeObject): FieldError[] {
  const { spec = {}, metadata } = object as Service;
  const isBalanced = spec.type === "LoadBalancer";
  const errors: FieldError[] = [];
  const allow = (at: string, ranges: readonly string[], place: (index: number) => string): void => {
    if (!isBalanced) errors.push(forbidden(at, onlyBalanced));
    for (const [index, text] of ranges.entries())
      if (!parseCidr(text.trim()))
        errors.push(
          invalid(place(index), text.trim(), "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        );
  };
  const annotated = metadata?.annotations?.[rangesAnnotation];
  if (spec.loadBalancerSourceRanges?.length) {
    // Spelled like this in kube-apiserver's messages.
    const at = "spec.LoadBalancerSourceRanges";
    allow(at, spec.loadBalancerSourceRanges, (index) => `${at}[${index}]`);
  } else if (annotated !== undefined) {
    const at = `metadata.annotations[${rangesAnnotation}]`;
    allow(at, annotated.trim() === "" ? [] : annotated.split(","), () => at);
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalanced)
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", onlyBalanced));
  if (spec.loadBalancerClass !== undefined) {
    if (!isBalanced) errors.push(forbidden("spec.loadBalancerClass", onlyBalanced));
    else
      for (const reason of qualifiedName(spec.loadBalancerClass))
        errors.push(invalid("spec.loadBalancerClass", spec.loadBalancerClass, reason));
  }
  return errors;
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

export function validatePolicies(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy, internalTrafficPolicy, trafficDistribution, healthCheckNodePort } = spec;
  if (!isReachedFromOutside(spec)) {
    if (externalTrafficPolicy)
      errors.push(
        invalid(
          "spec.externalTrafficPolicy",
          externalTrafficPolicy,
          "may only be set for externally-accessible services",
        ),
      );
  } else if (!policies.includes(externalTrafficPolicy ?? ""))
    errors.push(notSupported("spec.externalTrafficPolicy", externalTrafficPolicy, policies));
  if (needsHealthPort(spec)) errors.push(...validPort(healthCheckNodePort ?? 0, "spec.healthCheckNodePort"));
  else if (healthCheckNodePort)
    errors.push(
      invalid(
        "spec.healthCheckNodePort",
        healthCheckNodePort,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  if (internalTrafficPolicy !== undefined && !policies.includes(internalTrafficPolicy))
    errors.push(notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, policies));
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution))
    errors.push(notSupported("spec.trafficDistribution", trafficDistribution, distributions));
  return errors;
}

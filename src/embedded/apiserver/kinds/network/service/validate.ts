import type { Service, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { parseIp } from "../../../../../language/schema/ip.ts";
import { noAddress, validateEndpointAddress } from "../endpoint-address.ts";
import { validateLabels } from "../../label-checks.ts";
import { isHeadless, needsHealthPort, specOf } from "./service-spec.ts";
import { validateAddressChange, validateAddresses } from "./validate-addresses.ts";
import { validateDistinctPorts, validateServicePorts } from "./validate-ports.ts";
import { validateAffinity, validateBalancing, validatePolicies } from "./validate-traffic.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

export function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  return [
    ...validateType(spec),
    ...validateServicePorts(spec),
    ...validateLabels(spec.selector, "spec.selector"),
    ...validateAffinity(spec),
    ...validateAddresses(spec),
    ...validateExternalAddresses(spec),
    ...(types.includes(spec.type ?? "") ? [] : [notSupported("spec.type", spec.type, types)]),
    ...validateDistinctPorts(spec),
    ...validateBalancing(object),
    ...validatePolicies(spec),
  ];
}

function validateType(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", ports = [], externalName = "" } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.push(required("spec.ports"));
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec))
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  if (type !== "ExternalName") return errors;
  for (const field of ["clusterIPs", "ipFamilies"] as const)
    if ((spec[field] ?? []).length > 0)
      errors.push(forbidden(`spec.${field}`, "may not be set for ExternalName services"));
  if (spec.ipFamilyPolicy !== undefined)
    errors.push(forbidden("spec.ipFamilyPolicy", "may not be set for ExternalName services"));
  // A trailing dot marks a fully qualified name.
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName;
  if (name === "") errors.push(required("spec.externalName"));
  else for (const reason of dnsSubdomain(name)) errors.push(invalid("spec.externalName", name, reason));
  return errors;
}

function validateExternalAddresses({ externalIPs = [] }: ServiceSpec): FieldError[] {
  return externalIPs.flatMap((address, index) => {
    const at = `spec.externalIPs[${index}]`;
    return parseIp(address) ? validateEndpointAddress(address, at) : [invalid(at, address, noAddress)];
  });
}

export function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const errors = validateAddressChange(spec, before);
  if (spec.type === "LoadBalancer" && before.type === "LoadBalancer") {
    if (spec.loadBalancerClass !== before.loadBalancerClass)
      errors.push(invalid("spec.loadBalancerClass", spec.loadBalancerClass, "may not change once set"));
    if (needsHealthPort(spec) && needsHealthPort(before) && spec.healthCheckNodePort !== before.healthCheckNodePort)
      errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  }
  return errors;
}

const modes = ["Proxy", "VIP"];

export function validateStatus(object: KubeObject): FieldError[] {
  const at = "status.loadBalancer.ingress";
  const { spec, status } = object as Service;
  const all = status?.loadBalancer?.ingress ?? [];
  if (spec?.type !== "LoadBalancer" && all.length > 0)
    return [forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  return all.flatMap(({ ip, ipMode, hostname }, index) => {
    const errors: FieldError[] = [];
    const field = `${at}[${index}]`;
    if (ip && !parseIp(ip)) errors.push(invalid(`${field}.ip`, ip, noAddress));
    if (ipMode === undefined) {
      if (ip) errors.push(required(`${field}.ipMode`, "must be specified when `ip` is set"));
    } else if (!ip) errors.push(forbidden(`${field}.ipMode`, "may not be specified when `ip` is not set"));
    else if (!modes.includes(ipMode)) errors.push(notSupported(`${field}.ipMode`, ipMode, modes));
    if (!hostname) return errors;
    for (const reason of dnsSubdomain(hostname)) errors.push(invalid(`${field}.hostname`, hostname, reason));
    if (parseIp(hostname)) errors.push(invalid(`${field}.hostname`, hostname, "must be a DNS name, not an IP address"));
    return errors;
  });
}

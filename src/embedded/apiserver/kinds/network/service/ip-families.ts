import type { ServiceSpec } from "kubernetes-types/core/v1.js";
import { type FieldError, invalid } from "../../../../../language/schema/field-error.ts";
import { needsAddress } from "./service-spec.ts";
import { familyOf, validateAddresses } from "./validate-addresses.ts";

/** The address family of this cluster. */
const ours = "IPv4";
const policyAt = "spec.ipFamilyPolicy";

/** Sets the default IP families of a service, or returns why it cannot have the requested ones. */
export function settleFamilies(spec: ServiceSpec, before: ServiceSpec | undefined): FieldError[] {
  if (!needsAddress(spec)) return [];
  // The endpoints of a headless service without selector are created by users, and may have any family.
  const anyFamily = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (anyFamily ? "RequireDualStack" : "SingleStack");
  const disagreements = validateAddresses(spec);
  if (disagreements.length > 0) return disagreements;
  const errors = [...(before ? reductions(spec, before) : []), ...inferFamilies(spec)];
  if (errors.length > 0) return errors;
  if (anyFamily) {
    const [first = ours, second] = spec.ipFamilies ?? [];
    const both = second !== undefined || spec.ipFamilyPolicy !== "SingleStack";
    spec.ipFamilies = both ? [first, second ?? (first === "IPv4" ? "IPv6" : "IPv4")] : [first];
    return [];
  }
  if (spec.ipFamilyPolicy === "RequireDualStack")
    errors.push(invalid(policyAt, spec.ipFamilyPolicy, "this cluster is not configured for dual-stack services"));
  for (const [index, family] of (spec.ipFamilies ?? []).entries())
    if (family !== ours) errors.push(invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [ours];
  return errors;
}

function reductions(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const [{ clusterIPs = [], ipFamilies = [] }, { clusterIPs: addresses = [], ipFamilies: families = [] }] = [
    spec,
    before,
  ];
  if (spec.ipFamilyPolicy === "SingleStack") {
    // A change to SingleStack alone keeps the first address and family.
    if (clusterIPs.length > 1 && clusterIPs.join() === addresses.join()) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && ipFamilies.join() === families.join()) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const errors: FieldError[] = [];
  if (clusterIPs.length > 0 && clusterIPs.length < addresses.length)
    errors.push(invalid(policyAt, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP"));
  if (ipFamilies.length > 0 && ipFamilies.length < families.length)
    errors.push(invalid(policyAt, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"));
  return errors;
}

function inferFamilies(spec: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilyPolicy } = spec;
  const errors: FieldError[] = [];
  const several = (what: string): FieldError =>
    invalid(
      policyAt,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  if (ipFamilyPolicy === "SingleStack") {
    if (clusterIPs.length === 2) errors.push(several("cluster IPs"));
    if (spec.ipFamilies?.length === 2) errors.push(several("IP families"));
  }
  for (const [index, address] of clusterIPs.entries()) {
    if (address === "None") break;
    if (index < (spec.ipFamilies ?? []).length) continue;
    const family = familyOf(address);
    if (family === ours) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else errors.push(invalid(`spec.clusterIPs[${index}]`, clusterIPs, `${family} is not configured on this cluster`));
  }
  return errors;
}

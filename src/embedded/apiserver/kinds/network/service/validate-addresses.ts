import type { ServiceSpec } from "kubernetes-types/core/v1.js";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { parseIp } from "../../../../../language/schema/ip.ts";
import { noAddress } from "../endpoint-address.ts";
import { isHeadless, needsAddress } from "./service-spec.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const at = "spec.clusterIPs";

export const familyOf = (address: string): string => `IPv${parseIp(address)?.version ?? 4}`;

/** clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy must be consistent. */
export function validateAddresses(spec: ServiceSpec): FieldError[] {
  if (!needsAddress(spec)) return [];
  const { clusterIP, clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const errors: FieldError[] = [];
  if (clusterIP && clusterIPs.length === 0) errors.push(required(at));
  else if (clusterIP && clusterIPs[0] !== clusterIP)
    errors.push(invalid(at, clusterIPs, "first value must match `clusterIP`"));
  else if (!clusterIP && clusterIPs.length > 0)
    errors.push(invalid(at, clusterIPs, "must be empty when `clusterIP` is not specified"));
  for (const [index, family] of ipFamilies.entries()) {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, families));
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
  }
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies));
  const faults = addressFaults(clusterIPs);
  errors.push(...faults);
  if (clusterIPs.length > 2) errors.push(invalid(at, clusterIPs, "may only hold up to 2 values"));
  // Further checks need valid addresses.
  if (faults.length > 0) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size !== clusterIPs.length)
    errors.push(invalid(at, clusterIPs, "may specify no more than one IP for each IP family"));
  if (isHeadless(spec)) return errors;
  for (const [index, family] of ipFamilies.slice(0, clusterIPs.length).entries()) {
    const address = clusterIPs[index] as string;
    if (families.includes(family) && familyOf(address) !== family)
      errors.push(
        invalid(`${at}[${index}]`, address, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``),
      );
  }
  return errors;
}

function addressFaults(addresses: readonly string[]): FieldError[] {
  return addresses.flatMap((address, index) => {
    if (index === 0 && address === "None")
      return addresses.length > 1 ? [invalid(at, addresses, "'None' must be the first and only value")] : [];
    return parseIp(address) ? [] : [invalid(`${at}[${index}]`, address, noAddress)];
  });
}

/** Addresses are immutable, unless the service had or gets none. */
export function validateAddressChange(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if (!needsAddress(spec) || !needsAddress(before)) return [];
  if (isHeadless(spec) && isHeadless(before)) return [];
  const { clusterIPs: now = [], ipFamilies = [] } = spec;
  const { clusterIPs: was = [], ipFamilies: families = [] } = before;
  const errors: FieldError[] = [];
  if (was.length > now.length && now.length === 0)
    errors.push(invalid(`${at}[0]`, now, "primary clusterIP can not be unset"));
  const compared = was.length === now.length ? was.length : Math.min(1, was.length, now.length);
  for (let i = 0; i < compared; i++)
    if (was[i] !== now[i]) errors.push(invalid(`${at}[${i}]`, now, "may not change once set"));
  if (isHeadless(spec) === isHeadless(before) && families[0] !== ipFamilies[0])
    errors.push(invalid("spec.ipFamilies[0]", ipFamilies, "may not change once set"));
  return errors;
}

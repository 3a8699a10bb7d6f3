import { isIP } from "node:net";
import type { HostAlias, PodSpec } from "kubernetes-types/core/v1.js";
import { dnsLabel, dnsSubdomain, type NameRule } from "../../../../../language/object/names.ts";
import { type FieldError, invalid, notSupported, required } from "../../../../../language/schema/field-error.ts";
import { between, maxInt32 } from "../../bounds.ts";
import { validateLabels } from "../../label-checks.ts";
import { validateContainerResources } from "../../resource-list.ts";
import { validateTolerations } from "../../tolerations.ts";
import { validateContainers } from "./containers.ts";
import { validateAffinity, validateSchedulingGates, validateTopologySpread } from "./scheduling.ts";
import { validatePodSecurityContext } from "./security.ts";
import { validateVolumes } from "./volumes.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** The spec of a Pod, or of a workload's template: `at` is `spec` or `spec.template.spec`. */
export function validatePodSpec(spec: PodSpec, at: string): FieldError[] {
  const { restartPolicy = "", dnsPolicy = "" } = spec;
  return [
    ...validateVolumes(spec.volumes ?? [], `${at}.volumes`),
    ...validateContainers(spec, at),
    ...(restartPolicies.includes(restartPolicy)
      ? []
      : [notSupported(`${at}.restartPolicy`, restartPolicy, restartPolicies)]),
    ...(dnsPolicies.includes(dnsPolicy) ? [] : [notSupported(`${at}.dnsPolicy`, dnsPolicy, dnsPolicies)]),
    ...validateLabels(spec.nodeSelector, `${at}.nodeSelector`),
    ...validatePodSecurityContext(spec.securityContext, `${at}.securityContext`),
    ...(spec.shareProcessNamespace && spec.hostPID
      ? [
          invalid(
            `${at}.securityContext.shareProcessNamespace`,
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : []),
    ...validateAffinity(spec.affinity, `${at}.affinity`),
    ...validateDns(spec, at),
    ...validateSchedulingGates(spec.schedulingGates, `${at}.schedulingGates`),
    ...validateTopologySpread(spec.topologySpreadConstraints, `${at}.topologySpreadConstraints`),
    ...named(spec.serviceAccountName, `${at}.serviceAccountName`, dnsSubdomain),
    ...named(spec.nodeName, `${at}.nodeName`, dnsSubdomain),
    ...between(spec.activeDeadlineSeconds, 1, maxInt32, `${at}.activeDeadlineSeconds`),
    ...named(spec.hostname, `${at}.hostname`, dnsLabel),
    ...named(spec.subdomain, `${at}.subdomain`, dnsLabel),
    ...validateTolerations(spec.tolerations, `${at}.tolerations`),
    ...validateHostAliases(spec.hostAliases ?? [], `${at}.hostAliases`),
    ...named(spec.priorityClassName, `${at}.priorityClassName`, dnsSubdomain),
    ...named(spec.runtimeClassName, `${at}.runtimeClassName`, dnsSubdomain),
    ...validateContainerResources({ limits: spec.overhead }, `${at}.overhead`),
  ];
}

function named(name: string | undefined, field: string, rule: NameRule): FieldError[] {
  return name ? rule(name).map((reason) => invalid(field, name, reason)) : [];
}

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, at: string): FieldError[] {
  const servers = dnsConfig?.nameservers ?? [];
  const field = `${at}.dnsConfig.nameservers`;
  if (dnsPolicy === "None" && servers.length === 0)
    return [
      dnsConfig
        ? required(field, "must provide at least one DNS nameserver when `dnsPolicy` is None")
        : required(`${at}.dnsConfig`, "must provide `dnsConfig` when `dnsPolicy` is None"),
    ];
  return [
    ...(servers.length > 3 ? [invalid(field, servers, "must not have more than 3 nameservers")] : []),
    ...servers.flatMap((server, index) => (isIP(server) ? [] : [invalid(`${field}[${index}]`, server, notAnAddress)])),
  ];
}

function validateHostAliases(aliases: readonly HostAlias[], at: string): FieldError[] {
  return aliases.flatMap(({ ip = "", hostnames = [] }, index) => [
    ...(isIP(ip) ? [] : [invalid(`${at}[${index}].ip`, ip, notAnAddress)]),
    ...hostnames.flatMap((host, i) =>
      dnsSubdomain(host).map((reason) => invalid(`${at}[${index}].hostnames[${i}]`, host, reason)),
    ),
  ]);
}

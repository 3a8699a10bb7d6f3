import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "kubernetes-types/networking/v1.js";
import { formatLabelSelector, fromLabelSelector } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { contains, parseCidr } from "../../../../language/schema/ip.ts";
import { validPort } from "../bounds.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { validateSelector } from "../label-checks.ts";
import { portNameFaults } from "../core/pod/ports.ts";

type Port = NetworkPolicyPort & { endPort?: number };

const specOf = (object: KubeObject): NetworkPolicySpec => (object as NetworkPolicy).spec as NetworkPolicySpec;

export const networkPolicy = defineKind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  shortNames: ["netpol"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Pod-Selector",
      typed<NetworkPolicy>(({ spec }) => formatLabelSelector(fromLabelSelector(spec?.podSelector)) || "<none>"),
    ),
    ageColumn,
  ],
  strategy: { defaults, validate, hasGeneration: true },
});

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
    for (const port of ports) port.protocol ??= "TCP";
  // Without policyTypes, a policy applies to ingress, and to egress only if it has egress rules.
  if ((spec.policyTypes ?? []).length === 0)
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors = validateSelector(spec.podSelector, "spec.podSelector");
  for (const [index, { ports = [], from = [] }] of (spec.ingress ?? []).entries())
    errors.push(...validateRule(ports, from, `spec.ingress[${index}]`, "from"));
  for (const [index, { ports = [], to = [] }] of (spec.egress ?? []).entries())
    errors.push(...validateRule(ports, to, `spec.egress[${index}]`, "to"));
  const types: readonly string[] = spec.policyTypes ?? [];
  if (types.length > 2)
    return [...errors, invalid("spec.policyTypes", types, "may not specify more than two policyTypes")];
  for (const [index, type] of types.entries())
    if (type !== "Ingress" && type !== "Egress")
      errors.push(notSupported(`spec.policyTypes[${index}]`, type, ["Ingress", "Egress"]));
  return errors;
}

function validateRule(ports: readonly Port[], peers: readonly NetworkPolicyPeer[], at: string, side: string) {
  return [
    ...ports.flatMap((port, index) => validatePort(port, `${at}.ports[${index}]`)),
    ...peers.flatMap((peer, index) => validatePeer(peer, `${at}.${side}[${index}]`)),
  ];
}

const protocols = ["TCP", "UDP", "SCTP"];

function validatePort({ protocol = "", port, endPort }: Port, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  const end = `${at}.endPort`;
  if (typeof port === "number") {
    errors.push(...validPort(port, `${at}.port`));
    if (endPort !== undefined && endPort < port)
      // As kube-apiserver, shows port instead of endPort.
      errors.push(invalid(end, port, "must be greater than or equal to `port`"));
    if (endPort !== undefined) errors.push(...validPort(endPort, end));
  } else if (port !== undefined) {
    if (endPort !== undefined) errors.push(invalid(end, endPort, "may not be specified when `port` is non-numeric"));
    for (const reason of portNameFaults(port)) errors.push(invalid(`${at}.port`, port, reason));
  } else if (endPort !== undefined)
    errors.push(invalid(end, endPort, "may not be specified when `port` is not specified"));
  return errors;
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, at: string): FieldError[] {
  const errors = [
    ...validateSelector(podSelector, `${at}.podSelector`),
    ...validateSelector(namespaceSelector, `${at}.namespaceSelector`),
  ];
  if (ipBlock) errors.push(...validateBlock(ipBlock, `${at}.ipBlock`));
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(at, "must specify a peer"));
  if (ipBlock && (podSelector || namespaceSelector))
    errors.push(forbidden(at, "may not specify both ipBlock and another peer"));
  return errors;
}

const noRange = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function validateBlock({ cidr, except = [] }: NonNullable<NetworkPolicyPeer["ipBlock"]>, at: string): FieldError[] {
  if (!cidr) return [required(`${at}.cidr`)];
  const range = parseCidr(cidr);
  if (!range) return [invalid(`${at}.cidr`, cidr, noRange)];
  return except.flatMap((text, index) => {
    const field = `${at}.except[${index}]`;
    const inner = parseCidr(text);
    if (!inner) return [invalid(field, text, noRange)];
    return contains(range, inner.ip) && range.prefix < inner.prefix
      ? []
      : [invalid(field, text, "must be a strict subset of `cidr`")];
  });
}

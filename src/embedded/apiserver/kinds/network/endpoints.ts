import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsLabel, dnsSubdomain } from "../../../../language/object/names.ts";
import { type FieldError, invalid, notSupported, required } from "../../../../language/schema/field-error.ts";
import { parseIp } from "../../../../language/schema/ip.ts";
import { validPort } from "../bounds.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { noAddress, validateEndpointAddress } from "./endpoint-address.ts";

const subsetsOf = (object: KubeObject): EndpointSubset[] => (object as KubeObject & Endpoints).subsets ?? [];
const deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

export const endpoints = {
  ...defineKind({
    group: "",
    version: "v1",
    kind: "Endpoints",
    plural: "endpoints",
    shortNames: ["ep"],
    namespaced: true,
    columns: [nameColumn, stringColumn("Endpoints", typed<Endpoints>(shown)), ageColumn],
    strategy: {
      defaults: (object) => {
        for (const { ports = [] } of subsetsOf(object)) for (const port of ports) port.protocol ??= "TCP";
      },
      validate: (object) => subsetsOf(object).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
      createOnUpdate: true,
    },
  }),
  singular: "endpoints",
  listKind: "EndpointsList",
  warning: deprecation,
};

const most = 3;

/** The first three, and how many more there are. */
function shown({ subsets = [] }: Endpoints): string {
  const all = subsets.flatMap(({ ports = [], addresses = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  if (all.length === 0) return "<none>";
  const first = all.slice(0, most).join(",");
  return all.length > most ? `${first} + ${all.length - most} more...` : first;
}

function validateSubset({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset, at: string) {
  const errors: FieldError[] = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0)
    errors.push(required(at, "must specify `addresses` or `notReadyAddresses`"));
  for (const [field, list] of Object.entries({ addresses, notReadyAddresses }))
    for (const [index, address] of list.entries()) errors.push(...validateAddress(address, `${at}.${field}[${index}]`));
  for (const [index, port] of ports.entries())
    errors.push(...validateEndpointPort(port, ports.length > 1, `${at}.ports[${index}]`));
  return errors;
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!parseIp(ip)) errors.push(invalid(`${at}.ip`, ip, noAddress));
  if (hostname) for (const reason of dnsLabel(hostname)) errors.push(invalid(`${at}.hostname`, hostname, reason));
  if (nodeName !== undefined)
    for (const reason of dnsSubdomain(nodeName)) errors.push(invalid(`${at}.nodeName`, nodeName, reason));
  errors.push(...validateEndpointAddress(ip, `${at}.ip`));
  return errors;
}

const protocols = ["SCTP", "TCP", "UDP"];

function validateEndpointPort({ name, port, protocol }: EndpointPort, named: boolean, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (named && !name) errors.push(required(`${at}.name`));
  else if (name) for (const reason of dnsLabel(name)) errors.push(invalid(`${at}.name`, name, reason));
  errors.push(...validPort(port, `${at}.port`));
  if (!protocol) errors.push(required(`${at}.protocol`));
  else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  return errors;
}

import type { Endpoint, EndpointPort, EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsLabel, dnsSubdomain } from "../../../../language/object/names.ts";
import {
  duplicate,
  type FieldError,
  immutable,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../../../language/schema/field-error.ts";
import { parseIp } from "../../../../language/schema/ip.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { noAddress, validateEndpointAddress } from "./endpoint-address.ts";

type Slice = KubeObject & EndpointSlice;

export const endpointSlice = defineKind({
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "AddressType",
      typed<EndpointSlice>(({ addressType }) => addressType),
    ),
    stringColumn(
      "Ports",
      typed<EndpointSlice>(({ ports }) =>
        few(
          (ports ?? []).map(({ name, port }) => String(port ?? (name || "*"))),
          "<unset>",
        ),
      ),
    ),
    stringColumn(
      "Endpoints",
      typed<EndpointSlice>(({ endpoints }) =>
        few(
          (endpoints ?? []).flatMap(({ addresses }) => addresses),
          "<unset>",
        ),
      ),
    ),
    ageColumn,
  ],
  strategy: {
    defaults: (object) => {
      for (const port of (object as Slice).ports ?? []) {
        port.name ??= "";
        port.protocol ??= "TCP";
      }
    },
    validate,
    validateUpdate: (object, old) =>
      object.addressType === old.addressType ? [] : [immutable("addressType", object.addressType)],
    hasGeneration: true,
  },
});

const most = 3;

function few(all: readonly string[], none: string): string {
  if (all.length === 0) return none;
  const first = all.slice(0, most).join(",");
  return all.length > most ? `${first} + ${all.length - most} more...` : first;
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];

function validate(object: KubeObject): FieldError[] {
  const { addressType, endpoints, ports } = object as Slice;
  if (!addressType) return [required("addressType")];
  if (!addressTypes.includes(addressType)) return [notSupported("addressType", addressType, addressTypes)];
  const errors: FieldError[] = [];
  if ((endpoints ?? []).length > 1000) errors.push(tooMany("endpoints", endpoints.length, 1000));
  else
    for (const [index, endpoint] of (endpoints ?? []).entries())
      errors.push(...validateEndpoint(endpoint, addressType, `endpoints[${index}]`));
  errors.push(...validatePorts(ports ?? []));
  return errors;
}

function validateEndpoint({ addresses, hostname, nodeName }: Endpoint, type: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((addresses ?? []).length === 0) errors.push(required(`${at}.addresses`, "must contain at least 1 address"));
  else if (addresses.length > 100) errors.push(tooMany(`${at}.addresses`, addresses.length, 100));
  for (const [index, address] of (addresses ?? []).entries())
    errors.push(...validateAddress(address, type, `${at}.addresses`, index));
  if (nodeName !== undefined)
    for (const reason of dnsSubdomain(nodeName)) errors.push(invalid(`${at}.nodeName`, nodeName, reason));
  if (hostname !== undefined)
    for (const reason of dnsLabel(hostname)) errors.push(invalid(`${at}.hostname`, hostname, reason));
  return errors;
}

function validateAddress(address: string, type: string, at: string, index: number): FieldError[] {
  const field = `${at}[${index}]`;
  if (type === "FQDN") return dnsSubdomain(address).map((reason) => invalid(field, address, reason));
  const ip = parseIp(address);
  if (!ip) return [invalid(field, address, noAddress)];
  return [
    ...(`IPv${ip.version}` === type ? [] : [invalid(at, address, `must be an ${type} address`)]),
    ...validateEndpointAddress(address, field),
  ];
}

const protocols = ["SCTP", "TCP", "UDP"];

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { name = "", protocol }] of ports.entries()) {
    const at = `ports[${index}]`;
    if (name !== "") for (const reason of dnsLabel(name)) errors.push(invalid(`${at}.name`, name, reason));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (!protocol) errors.push(required(`${at}.protocol`));
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  }
  return errors;
}

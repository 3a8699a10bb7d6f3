import type { ServicePort, ServiceSpec } from "kubernetes-types/core/v1.js";
import { dnsLabel, qualifiedName } from "../../../../../language/object/names.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { validatePortOrName } from "../../core/pod/ports.ts";
import { validPort } from "../../bounds.ts";

const protocols = ["SCTP", "TCP", "UDP"];

export function validateServicePorts({ ports = [] }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `spec.ports[${index}]`;
    const { name } = port;
    if (!name && ports.length > 1) errors.push(required(`${at}.name`));
    else if (name) {
      for (const reason of dnsLabel(name)) errors.push(invalid(`${at}.name`, name, reason));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    errors.push(...validatePort(port, at));
  }
  return errors;
}

function validatePort({ port, protocol, targetPort = 0, appProtocol }: ServicePort, at: string): FieldError[] {
  return [
    ...validPort(port ?? 0, `${at}.port`),
    ...(!protocol
      ? [required(`${at}.protocol`)]
      : protocols.includes(protocol)
        ? []
        : [notSupported(`${at}.protocol`, protocol, protocols)]),
    ...validatePortOrName(targetPort, `${at}.targetPort`),
    ...(appProtocol === undefined
      ? []
      : qualifiedName(appProtocol).map((reason) => invalid(`${at}.appProtocol`, appProtocol, reason))),
  ];
}

/** Ports and node ports must be unique per protocol. */
export function validateDistinctPorts({ type, ports = [] }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (type === "ClusterIP")
    for (const [index, { nodePort }] of ports.entries())
      if (nodePort)
        errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  const taken = new Set<string>();
  const isTaken = (key: string): boolean => taken.size === taken.add(key).size;
  for (const [index, { nodePort, protocol }] of ports.entries())
    if (nodePort && isTaken(`node ${protocol} ${nodePort}`))
      errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
  for (const [index, { port, protocol }] of ports.entries())
    if (isTaken(`${protocol} ${port}`))
      errors.push(
        duplicate(`spec.ports[${index}]`, {
          Name: "",
          Protocol: protocol,
          AppProtocol: null,
          Port: port,
          TargetPort: 0,
          NodePort: 0,
        }),
      );
  return errors;
}

import type { Container, ContainerPort } from "kubernetes-types/core/v1.js";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { validPort } from "../../bounds.ts";

const protocols = ["SCTP", "TCP", "UDP"];

export function validatePorts(ports: readonly ContainerPort[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const field = `${at}[${index}]`;
    if (name) {
      const faults = portNameFaults(name);
      for (const reason of faults) errors.push(invalid(`${field}.name`, name, reason));
      if (faults.length === 0 && names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    }
    if (!containerPort) errors.push(required(`${field}.containerPort`));
    else errors.push(...validPort(containerPort, `${field}.containerPort`));
    if (hostPort) errors.push(...validPort(hostPort, `${field}.hostPort`));
    if (!protocol) errors.push(required(`${field}.protocol`));
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols));
  }
  return errors;
}

/** Two containers of a pod cannot use the same host port. */
export function validateHostPorts(containers: readonly Container[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  for (const [c, { ports = [] }] of containers.entries())
    for (const [p, { hostPort, hostIP = "", protocol = "" }] of ports.entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${at}[${c}].ports[${p}].hostPort`, key));
      taken.add(key);
    }
  return errors;
}

/** An IANA service name: at most 15 characters, at least one letter. */
export function portNameFaults(name: string): string[] {
  const faults: string[] = [];
  if (name.length > 15) faults.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(name)) faults.push("must contain at least one letter (a-z)");
  if (name.includes("--")) faults.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) faults.push("must not begin or end with a hyphen");
  return faults;
}

/** A port number, or the name of a container port. */
export function validatePortOrName(port: number | string, field: string): FieldError[] {
  if (typeof port === "number") return validPort(port, field);
  return portNameFaults(port).map((reason) => invalid(field, port, reason));
}

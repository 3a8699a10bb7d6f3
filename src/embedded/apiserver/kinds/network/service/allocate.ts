import type { ServicePort, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { type FieldError, invalid } from "../../../../../language/schema/field-error.ts";
import type { Reservation } from "../../../allocation/service-pools.ts";
import { internal } from "../../../status-error.ts";
import { settleFamilies } from "./ip-families.ts";
import { hasNodePorts, isHeadless, needsAddress, needsHealthPort, nodePortsOf, specOf } from "./service-spec.ts";

/** Allocates cluster IP, node ports and health check port. An update keeps what is already allocated. */
export function allocate(object: KubeObject, old: KubeObject | undefined, pools: Reservation): FieldError[] {
  const spec = specOf(object);
  const before = old && specOf(old);
  if (before) keepAllocated(spec, before);
  alignAddresses(spec, before);
  const disagreements = settleFamilies(spec, before);
  if (disagreements.length > 0) return disagreements;
  return [
    ...allocateAddress(spec, before, pools),
    ...allocatePorts(spec, before, pools),
    ...allocateHealthPort(spec, before, pools),
  ];
}

/** An update that does not set allocated fields keeps them. */
function keepAllocated(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsAddress(spec) && needsAddress(before)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && before.clusterIPs) spec.clusterIPs = [...before.clusterIPs];
  }
  if (allocatesPorts(spec) && allocatesPorts(before)) {
    const named = nodePortsOf(spec);
    const byName = new Map((before.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const had = byName.get(port.name ?? "");
      if (!port.nodePort && had && !named.has(had)) port.nodePort = had;
    }
  }
  if (needsHealthPort(spec) && needsHealthPort(before) && before.healthCheckNodePort)
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
}

/** Keeps clusterIP and clusterIPs consistent: an old client sets only clusterIP. */
function alignAddresses(spec: ServiceSpec, before: ServiceSpec | undefined): void {
  if (!before) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (spec.clusterIP === before.clusterIP) {
    if (!spec.clusterIPs?.length && before.clusterIPs) spec.clusterIPs = [...before.clusterIPs];
  } else if ((spec.clusterIPs ?? []).join() === (before.clusterIPs ?? []).join()) {
    if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else delete spec.clusterIPs;
  }
}

function allocateAddress(spec: ServiceSpec, before: ServiceSpec | undefined, pools: Reservation): FieldError[] {
  if (!needsAddress(spec) || isHeadless(spec) || (before && needsAddress(before))) return [];
  const [asked] = spec.clusterIPs ?? [];
  if (asked) {
    const why = pools.address(asked);
    return why ? [invalid("spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${asked}: ${why}`)] : [];
  }
  const address = pools.anyAddress();
  if (address === undefined) throw internal("failed to allocate a serviceIP: range is full");
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  return [];
}

const allocatesPorts = (spec: ServiceSpec): boolean =>
  spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

function allocatePorts(spec: ServiceSpec, before: ServiceSpec | undefined, pools: Reservation): FieldError[] {
  if (!hasNodePorts(spec)) return [];
  const ports = spec.ports ?? [];
  const own = new Set(before ? nodePortsOf(before) : []);
  /** A port with several protocols gets one node port. */
  const byPort = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    const number = port.nodePort || (before ? undefined : (byPort.get(port.port) ?? askedFor(port.port, ports)));
    if (number === undefined) {
      if (!allocatesPorts(spec)) continue;
      const free = pools.anyPort();
      if (free === undefined) throw internal("failed to allocate a nodePort: range is full");
      port.nodePort = free;
    } else {
      if (!port.nodePort && !allocatesPorts(spec)) continue;
      const isOwn = before ? own.has(number) : byPort.get(port.port) === number;
      const why = isOwn ? undefined : pools.port(number);
      if (why) return [invalid(`spec.ports[${index}].nodePort`, number, why)];
      port.nodePort = number;
    }
    own.add(port.nodePort);
    if (!byPort.has(port.port)) byPort.set(port.port, port.nodePort);
  }
  return [];
}

function askedFor(number: number, ports: readonly ServicePort[]): number | undefined {
  return ports.find(({ port, nodePort }) => port === number && nodePort)?.nodePort;
}

function allocateHealthPort(spec: ServiceSpec, before: ServiceSpec | undefined, pools: Reservation): FieldError[] {
  if (!needsHealthPort(spec) || (before && needsHealthPort(before))) return [];
  const { healthCheckNodePort: asked } = spec;
  if (asked) {
    const why = pools.port(asked);
    if (why) throw internal(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
    return [];
  }
  const free = pools.anyPort();
  if (free === undefined) throw internal("failed to allocate a HealthCheck NodePort 0: range is full");
  spec.healthCheckNodePort = free;
  return [];
}

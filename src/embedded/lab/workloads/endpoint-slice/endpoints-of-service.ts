import type { ServicePort } from "kubernetes-types/core/v1.js";
import type { Endpoint, EndpointPort } from "kubernetes-types/discovery/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import type { kinds } from "../../../../cluster/kube/kinds.ts";
import { isFinished, isReady, isTerminating } from "../pods/pod-state.ts";
import type { Node, Pod } from "../workload-objects.ts";

export type Service = NonNullable<typeof kinds.service.object>;

/** Endpoints with the same address family and ports: a slice holds one such group. */
export interface EndpointGroup {
  addressType: "IPv4" | "IPv6";
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

const zoneLabel = "topology.kubernetes.io/zone";

/** The endpoints of a Service. A family without pods is a group without endpoints. */
export function endpointsOfService(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
): EndpointGroup[] {
  const groups = new Map<string, EndpointGroup>();
  for (const family of service.spec?.ipFamilies ?? ["IPv4"]) {
    const addressType = family === "IPv6" ? "IPv6" : "IPv4";
    for (const pod of pods) {
      const address = isFinished(pod) ? undefined : addressOf(pod, addressType);
      if (address === undefined) continue;
      const ports = (service.spec?.ports ?? []).flatMap((port) => portOn(pod, port) ?? []);
      const key = JSON.stringify([addressType, ports]);
      const endpoint = endpointOf(service, pod, address, nodeOf);
      const group = groups.get(key);
      if (group) group.endpoints.push(endpoint);
      else groups.set(key, { addressType, ports, endpoints: [endpoint] });
    }
    if (![...groups.values()].some((group) => group.addressType === addressType))
      groups.set(addressType, { addressType, ports: [], endpoints: [] });
  }
  return [...groups.values()];
}

function addressOf({ status }: Pod, addressType: "IPv4" | "IPv6"): string | undefined {
  const addresses = status?.podIPs?.map(({ ip }) => ip) ?? (status?.podIP ? [status.podIP] : []);
  return addresses.find((ip) => ip !== undefined && ip.includes(":") === (addressType === "IPv6"));
}

/** A named target port is looked up in the pod; a pod without it has no endpoint for this port. */
function portOn(
  { spec }: Pod,
  { name, protocol = "TCP", port, targetPort, appProtocol }: ServicePort,
): EndpointPort | undefined {
  const target = targetPort ?? port;
  const number =
    typeof target === "number"
      ? target || port
      : spec?.containers
          .flatMap(({ ports }) => ports ?? [])
          .find((one) => one.name === target && (one.protocol ?? "TCP") === protocol)?.containerPort;
  return number === undefined
    ? undefined
    : { name: name ?? "", protocol, port: number, ...(appProtocol && { appProtocol }) };
}

function endpointOf(service: Service, pod: Pod, address: string, nodeOf: (name: string) => Node | undefined): Endpoint {
  const { name, namespace, uid } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const zone = nodeName ? nodeOf(nodeName)?.metadata.labels?.[zoneLabel] : undefined;
  return {
    addresses: [address],
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    targetRef: omitUndefined({ kind: "Pod", namespace, name, uid }),
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
    ...(hostname && subdomain === service.metadata.name && { hostname }),
  };
}

import { isIP } from "node:net";
import type { KubeObject } from "../../../language/object/meta.ts";
import { validateEndpointAddress } from "../kinds/network/endpoint-address.ts";
import { collectionOf } from "../registry.ts";
import type { Services } from "../request/context.ts";
import { create } from "../request/create.ts";
import { update } from "../request/update.ts";
import type { Resource } from "../resource.ts";
import { serverRequest } from "./server-writes.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Writes the Service `kubernetes` in `default`, by which pods find the API server, at the first address of the service
 * network. A server that only listens on loopback gets no endpoints, since no other machine could reach them.
 */
export async function writeKubernetesService(services: Services, { host, port }: Address): Promise<void> {
  const addresses = isIP(host) && validateEndpointAddress(host, "").length === 0 ? [host] : [];
  const ports = [{ name: "https", port, protocol: "TCP" }];
  await write(services, ["", "services"], {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...itself, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: port }] },
  });
  await write(services, ["", "endpoints"], {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...itself, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    ...(addresses.length > 0 ? { subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] } : {}),
  });
  await write(services, ["discovery.k8s.io", "endpointslices"], {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...itself, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: isIP(host) === 6 ? "IPv6" : "IPv4",
    endpoints: addresses.length > 0 ? [{ addresses, conditions: { ready: true } }] : [],
    ports: addresses.length > 0 ? ports : [],
  });
}

const itself = { namespace: "default", name: "kubernetes" };

/** Creates or updates it; an update without changes writes nothing. */
async function write(services: Services, [group, plural]: [string, string], object: KubeObject): Promise<void> {
  const resource = services.registry.find(group, "v1", plural) as Resource;
  const exists = services.store.head(collectionOf(resource), `${itself.namespace}/${itself.name}`) !== undefined;
  const key = exists ? `${itself.namespace}/${itself.name}` : `${itself.namespace}/`;
  const context = {
    ...serverRequest(services, resource, key, "system:apiserver"),
    query: new URLSearchParams({ fieldManager: "attune-apiserver" }),
  };
  const body = { value: structuredClone(object) as never, duplicates: [] };
  await (exists ? update(context, body) : create(context, body));
}

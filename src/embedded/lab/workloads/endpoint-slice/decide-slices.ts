import type { Endpoint, EndpointPort } from "kubernetes-types/discovery/v1.js";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { canonical, equal } from "../../../../language/object/json.ts";
import { controllerReference } from "../pods/controller-of.ts";
import type { EndpointGroup, Service } from "./endpoints-of-service.ts";

export type EndpointSlice = NonNullable<typeof kinds.endpointSlice.object>;

export const serviceLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const manager = "endpointslice-controller.k8s.io";
const headlessLabel = "service.kubernetes.io/headless";
const mostEndpoints = 100;

export interface SlicesDecision {
  create: EndpointSlice[];
  update: EndpointSlice[];
  delete: EndpointSlice[];
}

/**
 * The slices that a Service needs. An endpoint stays in its slice, so that a change of one pod is one small write; new
 * endpoints fill slices with room.
 */
export function decideSlices(
  service: Service,
  groups: readonly EndpointGroup[],
  existing: readonly EndpointSlice[],
): SlicesDecision {
  const decision: SlicesDecision = { create: [], update: [], delete: [] };
  const labels = labelsOf(service);
  const unused = new Set(existing);
  for (const group of groups) {
    const mine = existing.filter((slice) => slice.addressType === group.addressType && samePorts(slice, group.ports));
    const left = new Map(group.endpoints.map((endpoint) => [uidOf(endpoint), endpoint]));
    const kept = mine.map((slice) => {
      unused.delete(slice);
      const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
        const now = left.get(uidOf(endpoint));
        left.delete(uidOf(endpoint));
        return now ? [now] : [];
      });
      return { slice, endpoints };
    });
    const waiting = [...left.values()];
    for (const { endpoints } of kept) endpoints.push(...waiting.splice(0, mostEndpoints - endpoints.length));
    const full = kept.filter(({ endpoints }) => endpoints.length > 0);
    // One slice stays even if it is empty, as kube-controller-manager does.
    const staying = full.length > 0 || waiting.length > 0 ? full : kept.slice(0, 1);
    for (const one of kept) if (!staying.includes(one)) decision.delete.push(one.slice);
    for (const { slice, endpoints } of staying) {
      const sameLabels = equal(slice.metadata.labels ?? {}, labels);
      if (sameLabels && equal(slice.endpoints ?? [], endpoints)) continue;
      decision.update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints });
    }
    while (waiting.length > 0 || (staying.length === 0 && decision.create.every((made) => !isOf(made, group))))
      decision.create.push(newSlice(service, labels, group, waiting.splice(0, mostEndpoints)));
  }
  decision.delete.push(...unused);
  return decision;
}

function isOf(slice: EndpointSlice, group: EndpointGroup): boolean {
  return slice.addressType === group.addressType && samePorts(slice, group.ports);
}

function newSlice(
  service: Service,
  labels: Record<string, string>,
  { addressType, ports }: EndpointGroup,
  endpoints: Endpoint[],
): EndpointSlice {
  const { name = "", namespace } = service.metadata;
  return {
    apiVersion: kinds.endpointSlice.apiVersion,
    kind: kinds.endpointSlice.kind,
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      ownerReferences: [controllerReference(kinds.service, service)],
    },
    addressType,
    endpoints,
    ports,
  };
}

function labelsOf({ metadata, spec }: Service): Record<string, string> {
  return {
    ...metadata.labels,
    [serviceLabel]: metadata.name ?? "",
    [managedByLabel]: manager,
    ...(spec?.clusterIP === "None" && { [headlessLabel]: "" }),
  };
}

function samePorts({ ports }: EndpointSlice, wanted: readonly EndpointPort[]): boolean {
  const text = (some: readonly EndpointPort[]): string => some.map(canonical).toSorted().join();
  return text(ports ?? []) === text(wanted);
}

function uidOf({ targetRef, addresses }: Endpoint): string {
  return targetRef?.uid ?? addresses.join();
}

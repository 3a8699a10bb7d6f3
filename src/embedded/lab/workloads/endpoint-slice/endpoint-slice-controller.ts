import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../../cluster/kube/cache.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { matchesLabels } from "../../../../language/object/label-selector.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { isNamespaceGoing } from "../pods/pod-writes.ts";
import { selectorOf } from "../scheduler/pod-query.ts";
import { ResyncInterval } from "../resync-interval.ts";
import { byNamespace } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { decideSlices, type EndpointSlice, managedByLabel, manager, serviceLabel } from "./decide-slices.ts";
import { endpointsOfService, type Service } from "./endpoints-of-service.ts";

export interface ServiceCaches {
  /** By namespace. */
  services: Informer<Service>;
  /** By their Service, see `bySlicedService`. */
  endpointSlices: Informer<EndpointSlice>;
}

/** Slices of this controller by `namespace/name` of their Service. */
export const byService = "service";
export function bySlicedService(slice: EndpointSlice): string[] {
  const { namespace, labels = {} } = slice.metadata;
  return labels[managedByLabel] === manager && labels[serviceLabel] ? [`${namespace}/${labels[serviceLabel]}`] : [];
}

/** A reconcile reads all pods of the namespace. */
const intervalMsPerPod = 0.05;

/** As `system:serviceaccount:kube-system:endpointslice-controller`. */
export function runEndpointSlices(options: WorkloadOptions & ServiceCaches & { signal: AbortSignal }): Promise<void> {
  const { services, endpointSlices } = options;
  return runWithEvents("endpoint-slice-controller", options, (more) =>
    endpointSliceController({ ...more, services, endpointSlices }),
  );
}

export function endpointSliceController(options: WorkloadControllerOptions & ServiceCaches): Controller {
  const { client, caches, services, endpointSlices, clock, log, metrics } = options;
  const { pods, nodes } = caches;
  const interval = new ResyncInterval(clock, intervalMsPerPod);
  const servicesOf = ({ metadata }: Pod): string[] =>
    services
      .byIndex(byNamespace, metadata.namespace ?? "")
      .filter(
        ({ spec }) => spec?.selector && matchesLabels(selectorOf({ matchLabels: spec.selector }), metadata.labels),
      )
      .map(keyOf);

  return new Controller({
    name: "endpoint-slice",
    concurrency: 4,
    clock,
    log,
    metrics,
    sources: [
      source(services, ({ object }) => [keyOf(object)]),
      source(endpointSlices, ({ object }) => bySlicedService(object)),
      source(pods, (event) => [
        ...servicesOf(event.object),
        ...(event.type === "updated" ? servicesOf(event.before) : []),
      ]),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const service = services.get(key);
      const selector = service?.spec?.selector;
      // The garbage collector deletes the slices of a deleted Service; without a selector, its owner writes the slices.
      if (!service || !selector || service.spec?.type === "ExternalName") {
        interval.forget(key);
        return undefined;
      }
      const intervalMs = interval.waitMs(key);
      if (intervalMs > 0) return { requeueAfterMs: intervalMs };
      const { namespace = "" } = service.metadata;
      const inNamespace = pods.byIndex(byNamespace, namespace);
      interval.started(key, inNamespace.length);

      const wanted = selectorOf({ matchLabels: selector });
      const behind = inNamespace.filter((pod) => matchesLabels(wanted, pod.metadata.labels));
      const groups = endpointsOfService(service, behind, (name) => nodes.get(name));
      const decision = decideSlices(service, groups, endpointSlices.byIndex(byService, key));
      try {
        for (const slice of decision.create) await client.create(kinds.endpointSlice, slice, { namespace, signal });
        for (const slice of decision.update) await client.update(kinds.endpointSlice, slice, { namespace, signal });
        for (const { metadata } of decision.delete) {
          const { name = "", uid } = metadata;
          await client.delete(kinds.endpointSlice, name, { namespace, preconditions: { uid }, signal });
        }
      } catch (error) {
        if (isConflict(error) || isNotFound(error) || isNamespaceGoing(error)) return { requeue: true };
        throw error;
      }
      return undefined;
    },
  });
}

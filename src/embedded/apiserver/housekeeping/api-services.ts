import { apiVersionOf, type KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { priorityOf } from "../discovery/group-order.ts";
import type { Services } from "../request/context.ts";
import { create } from "../request/create.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { deleteInBackground, writeInBackground, serverRequest } from "./server-writes.ts";

const collection = "apiservices.apiregistration.k8s.io";
const label = "kube-aggregator.kubernetes.io/automanaged";

/** Keeps an APIService for every served group and version; those of custom kinds are created and deleted with them. */
export class ApiServices {
  readonly #services: Services;
  readonly #log: Log;
  #generation = -1;

  constructor(services: Services, log: Log) {
    this.#services = services;
    this.#log = log;
  }

  /** Resolves once the APIServices of built-in groups exist. */
  async start(): Promise<() => void> {
    const { registry, store } = this.#services;
    await Promise.all(served(registry.builtin).map((place) => this.#create(place, "onstart")));
    const stops = [
      // `Definitions` has changed the registry in the same turn of the event loop.
      store.watch("customresourcedefinitions.apiextensions.k8s.io", () => this.#follow()),
      store.watch(collection, (changes) => {
        if (changes.some(({ after }) => !after)) this.#reconcile();
      }),
    ];
    this.#follow();
    return () => {
      for (const stop of stops) stop();
    };
  }

  #follow(): void {
    if (this.#generation !== this.#services.registry.generation) this.#reconcile();
  }

  #reconcile(): void {
    const { registry, store, reader } = this.#services;
    this.#generation = registry.generation;
    const builtin = new Set(served(registry.builtin).map(nameOf));
    const custom = served(registry.all()).filter((place) => !builtin.has(nameOf(place)));
    for (const place of custom) writeInBackground(this.#log, () => this.#create(place, "true"));
    const names = new Set(custom.map(nameOf));
    for (const entry of store.list(collection))
      if (!names.has(entry.key) && reader.get(collection, entry.key)?.metadata.labels?.[label] === "true")
        deleteInBackground(this.#services, this.#log, this.#resource(), entry);
  }

  async #create(place: Place, managed: "onstart" | "true"): Promise<void> {
    const name = nameOf(place);
    if (this.#services.store.head(collection, name)) return;
    const { group, version } = place;
    const object: KubeObject = {
      apiVersion: apiVersionOf("apiregistration.k8s.io", "v1"),
      kind: "APIService",
      metadata: { name, labels: { [label]: managed } },
      spec: {
        ...(group === "" ? {} : { group }),
        version,
        groupPriorityMinimum: priorityOf(group),
        versionPriority: group === "" ? 1 : managed === "true" ? 100 : 15,
      },
    };
    const context = {
      ...serverRequest(this.#services, this.#resource(), "", "system:apiserver"),
      query: new URLSearchParams({ fieldManager: "attune-apiserver" }),
    };
    try {
      await create(context, { value: object as never, duplicates: [] });
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409)) throw error;
    }
  }

  #resource(): Resource {
    return this.#services.registry.find("apiregistration.k8s.io", "v1", "apiservices") as Resource;
  }
}

interface Place {
  readonly group: string;
  readonly version: string;
}

const nameOf = ({ group, version }: Place): string => `${version}.${group}`;

/** Each group and version once. As in kube-apiserver, apiregistration.k8s.io itself has no APIService. */
function served(resources: readonly Resource[]): Place[] {
  const places = resources.filter(({ group }) => group !== "apiregistration.k8s.io");
  return [...new Map(places.map((place) => [nameOf(place), place])).values()];
}

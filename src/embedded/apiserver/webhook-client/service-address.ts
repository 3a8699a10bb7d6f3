import type { Endpoints, Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { ObjectReader } from "../storage/store-reader.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

type Slice = KubeObject & EndpointSlice;

const SLICES = "endpointslices.discovery.k8s.io";
const SERVICE_NAME = "kubernetes.io/service-name";

/** Finds the endpoints of a service: without kube-proxy its cluster IP does not work. */
export class ServiceAddresses {
  readonly #objects: ObjectReader;
  #slices: { readonly at: number; readonly of: Map<string, Slice[]> } = { at: -1, of: new Map() };
  #turn = 0;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** A ready endpoint, round-robin; the cluster IP if there are no endpoints. Throws if there is neither. */
  find(namespace: string, name: string, port: number): Address {
    const key = `${namespace}/${name}`;
    const { spec = {} } = (this.#objects.get("services", key) ?? refuse(`service "${name}" not found`)) as Service;
    if (spec.type === "ExternalName") return { host: spec.externalName ?? "", port };
    const served = spec.ports?.find((candidate) => candidate.port === port);
    if (!served) return refuse(`no service port ${port} found for service "${name}"`);

    const ready = [...this.#inSlices(key, served.name ?? ""), ...this.#inEndpoints(key, served.name ?? "")];
    const address = ready[this.#turn++ % ready.length];
    if (address) return address;
    if (!spec.clusterIP || spec.clusterIP === "None") return refuse(`no endpoints available for service "${name}"`);
    return { host: spec.clusterIP, port };
  }

  #inSlices(service: string, portName: string): Address[] {
    const found: Address[] = [];
    for (const { endpoints, ports = [] } of this.#slicesOf(service)) {
      const port = ports.find(({ name = "" }) => name === portName)?.port;
      if (port === undefined) continue;
      for (const { addresses, conditions } of endpoints ?? [])
        if (conditions?.ready !== false && addresses[0] !== undefined) found.push({ host: addresses[0], port });
    }
    return found;
  }

  #slicesOf(service: string): readonly Slice[] {
    const at = this.#objects.changedAt(SLICES);
    if (at !== this.#slices.at) {
      const of = new Map<string, Slice[]>();
      for (const slice of this.#objects.list(SLICES) as Slice[]) {
        const key = `${slice.metadata.namespace}/${slice.metadata.labels?.[SERVICE_NAME] ?? ""}`;
        const known = of.get(key);
        if (known) known.push(slice);
        else of.set(key, [slice]);
      }
      this.#slices = { at, of };
    }
    return this.#slices.of.get(service) ?? [];
  }

  #inEndpoints(service: string, portName: string): Address[] {
    const { subsets } = (this.#objects.get("endpoints", service) ?? {}) as Endpoints;
    return (subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
      const port = ports.find(({ name = "" }) => name === portName)?.port;
      return port === undefined ? [] : addresses.map(({ ip }) => ({ host: ip, port }));
    });
  }
}

function refuse(message: string): never {
  throw new Error(message);
}

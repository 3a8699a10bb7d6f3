import { isNotFound } from "../../kube/api-error.ts";
import type { Informer } from "../../kube/cache.ts";
import type { Client, KindRef } from "../../kube/client.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  /** MicroTime: RFC 3339 with six digits behind the second. */
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export const leaseKind: KindRef<Lease> = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};

/** Access to one Lease, for an election. */
export interface LeaseStore {
  get(options: { timeoutMs: number }): Promise<Lease | undefined>;
  create(spec: LeaseSpec, options: { timeoutMs: number }): Promise<Lease>;
  /** Rejects with a conflict when the Lease changed since it was read. */
  update(lease: Lease, options: { timeoutMs: number }): Promise<Lease>;
  /** Calls back with the Lease, and with each change of it, until the signal aborts. */
  follow(onChange: (lease: Lease, isDeleted: boolean) => void, signal: AbortSignal): Promise<void>;
}

export interface LeaseStoreOptions {
  readonly namespace: string;
  readonly name: string;
  /** Of this Lease only. */
  readonly informer: Informer<Lease>;
}

export function leaseStore(client: Client, { namespace, name, informer }: LeaseStoreOptions): LeaseStore {
  return {
    async get(options) {
      try {
        return await client.get(leaseKind, name, { namespace, ...options });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    create: (spec, options) =>
      client.create(
        leaseKind,
        { apiVersion: leaseKind.apiVersion, kind: leaseKind.kind, metadata: { namespace, name }, spec },
        { namespace, ...options },
      ),
    update: (lease, options) => client.update(leaseKind, lease, { namespace, ...options }),
    async follow(onChange, signal) {
      const unsubscribe = informer.subscribe(({ type, object }) => onChange(object, type === "deleted"));
      await informer.run(signal).finally(unsubscribe);
    },
  };
}

export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}

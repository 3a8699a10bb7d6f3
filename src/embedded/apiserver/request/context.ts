import { formatTime } from "../../../language/object/time.ts";
import type { BodyBudget } from "../../../cluster/runtime/body-budget.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Admission } from "../admission/admission.ts";
import type { ServicePools } from "../allocation/service-pools.ts";
import type { ClusterAuthorizer } from "../auth/cluster-authorizer.ts";
import type { User } from "../auth/user.ts";
import type { QuotaLedger } from "../quota/quota-ledger.ts";
import { collectionOf, type Registry } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoreReader } from "../storage/store-reader.ts";
import type { Entry } from "../storage/store.ts";
import type { Views } from "../storage/views.ts";
import type { FairQueue } from "./fair-queue.ts";

/** What every request has access to. */
export interface Services {
  readonly store: ObjectStore;
  readonly reader: StoreReader;
  readonly views: Views;
  readonly pools: ServicePools;
  readonly quotas: QuotaLedger;
  readonly registry: Registry;
  readonly authorizer: ClusterAuthorizer;
  readonly admission: Admission;
  /** Bodies that are being read. */
  readonly bodies: BodyBudget;
  readonly writeQueue: FairQueue;
  readonly clock: Clock;
  /** A random name that begins with `base`. */
  readonly generateName: (base: string) => string;
}

/** One request to one resource, authenticated and authorised. */
export interface RequestContext {
  readonly services: Services;
  readonly resource: Resource;
  readonly user: User;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
  readonly userAgent: string;
  /** Sent as one Warning header each; kubectl shows them. */
  readonly warnings: string[];
  /** When the response is due, in milliseconds of the clock. */
  readonly deadline?: number;
  /** Whether the client has closed the connection. */
  readonly isGone?: () => boolean;
}

/** As kube-apiserver: the longest that a write may take. */
export const longestWriteMs = 34_000;

/** What a handler returns; `http/respond.ts` sends it in the representation that the client asked for. */
export type Answer =
  | { readonly type: "entry"; readonly code: number; readonly entry: Entry }
  | { readonly type: "object"; readonly code: number; readonly object: object }
  | {
      readonly type: "list";
      readonly entries: readonly Entry[];
      readonly revision: number;
      readonly continue?: string;
      readonly remaining?: number;
    };

export function keyFor(context: Pick<RequestContext, "resource" | "namespace">, name: string): string {
  return context.resource.namespaced ? `${context.namespace}/${name}` : name;
}

export function collectionFor(context: Pick<RequestContext, "resource">): string {
  return collectionOf(context.resource);
}

/** RFC 3339 with seconds, as metav1.Time. */
export function timestamp(clock: Clock): string {
  return formatTime(clock.now());
}

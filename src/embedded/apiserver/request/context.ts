import { formatTime } from "../../../language/object/time.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Admission } from "../admission/admission.ts";
import type { ServicePools } from "../allocation/service-pools.ts";
import type { ClusterAuthorizer } from "../auth/cluster-authorizer.ts";
import type { User } from "../auth/user.ts";
import { collectionOf, type Registry } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoreReader } from "../storage/store-reader.ts";
import type { Entry } from "../storage/store.ts";
import type { Views } from "../storage/views.ts";
import type { Turns } from "./fair-queue.ts";

/** What every request works with. */
export interface Services {
  readonly store: ObjectStore;
  readonly reader: StoreReader;
  readonly views: Views;
  readonly pools: ServicePools;
  readonly registry: Registry;
  readonly authorizer: ClusterAuthorizer;
  readonly admission: Admission;
  readonly turns: Turns;
  readonly clock: Clock;
}

/** One request to one resource, authenticated and allowed. */
export interface RequestContext {
  readonly services: Services;
  readonly resource: Resource;
  readonly user: User;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
  readonly userAgent: string;
  /** Shown to the user by kubectl, one Warning header each. */
  readonly warnings: string[];
  /** When the answer is due, in milliseconds of the clock. */
  readonly deadline?: number;
  /** Whether nobody waits for the answer any more. */
  readonly isGone?: () => boolean;
}

/** As long as the real server lets a write take, whatever it waits for. */
export const longestWriteMs = 34_000;

/** What a handler answers with; the HTTP edge turns it into the representation that was asked for. */
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

/** Seconds, as metav1.Time is written. */
export function timestamp(clock: Clock): string {
  return formatTime(clock.now());
}

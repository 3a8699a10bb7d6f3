import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import type { Schema } from "../../language/schema/schema.ts";
import type { Reservation } from "./allocation/service-pools.ts";
import type { User } from "./auth/user.ts";
import type { HttpRequest, HttpResponse } from "./http/exchange.ts";
import type { ClientConfig } from "./webhook-client/review-client.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One kind in one served version, built in or custom: everything that request handlers need to know about it. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  /** The verbs in discovery, where they differ: the kind of a CRD that is being deleted still answers more. */
  readonly discoveryVerbs?: readonly Verb[];
  /** The version objects are stored in; another version of the same kind converts when it reads and writes. */
  readonly storageVersion: string;
  /** Of a custom kind: all its versions, and the webhook that converts between them. */
  readonly versions?: Versions;
  /** The kind shows the stored objects of another kind in its own fields: events.k8s.io shows core Events. */
  readonly storedAs?: StoredAs;
  /** The whole object's schema, `metadata` included. Drives decoding, pruning, ownership of fields and strategic merge. */
  readonly schema: Schema;
  /** Built-in kinds are decoded as Go decodes them and know strategic merge; custom ones follow their schema. */
  readonly origin: "builtin" | "custom";
  /** The Warning header of every response about a deprecated version. */
  readonly warning?: string;
  /** Field selectors beyond metadata.name and metadata.namespace: `spec.nodeName` → its value in an object. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly columns: readonly Column[];
  readonly strategy: Strategy;
  /** Answers a create; objects of such a kind are never stored (SelfSubjectAccessReview, …). */
  readonly compute?: (body: KubeObject, context: ActionContext) => Promise<KubeObject>;
  /** `status`, `scale`, … Only those named here are served. */
  readonly subresources: Readonly<Record<string, Subresource>>;
}

/** Where the objects that two kinds share are stored, and the conversions. Both return a new object. */
export interface StoredAs {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly toStored: (shown: KubeObject) => KubeObject;
  readonly fromStored: (stored: KubeObject) => KubeObject;
}

export interface Versions {
  /** By name, served or not: stored objects may be in any of them. */
  readonly all: ReadonlyMap<string, Resource>;
  /** Absent with conversion strategy None, where versions differ only in apiVersion. */
  readonly webhook?: ConversionWebhook;
  /** Only objects stored in this version are read and written; nothing is converted. */
  readonly asIs?: boolean;
}

export interface ConversionWebhook {
  readonly client: ClientConfig;
  /** The version of ConversionReview it understands. */
  readonly reviewVersion: "v1" | "v1beta1";
}

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: KubeObject, now: number) => unknown;
}

/** What admission may look up, by collection and key: `priorityclasses.scheduling.k8s.io`, `high`. */
export interface Lookup {
  head(collection: string, key: string): KubeObject | undefined;
  list(collection: string): readonly KubeObject[];
}

/** What a kind does to an object that is written. Functions change `object` in place: it is the request's own copy. */
export interface Strategy {
  /** Sets fields that the client left out. Runs after decoding, on create, update and patch. */
  readonly defaults?: (object: KubeObject) => void;
  /** Sets what only the server decides; drops what this endpoint ignores (the status of a new object). */
  readonly prepareForCreate?: (object: KubeObject, now: number, user: User) => void;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject) => void;
  /** Built-in admission: like prepareForCreate, but fields set here belong to no field manager. */
  readonly admitCreate?: (object: KubeObject, objects: Lookup) => void;
  /** Allocates what no two objects may share; `old` is absent on creation. The reservation releases what stays unused. */
  readonly allocate?: (object: KubeObject, old: KubeObject | undefined, pools: Reservation) => FieldError[];
  readonly validate?: (object: KubeObject) => FieldError[];
  /** Rules for new objects only. */
  readonly validateCreate?: (object: KubeObject) => FieldError[];
  /** `warn` gets what is wrong already and may stay so. */
  readonly validateUpdate?: (object: KubeObject, old: KubeObject, warn?: (warning: string) => void) => FieldError[];
  /** Warnings about a valid object. */
  readonly warnings?: (object: KubeObject) => string[];
  /** Why a name is invalid for this kind; by default a name is a DNS subdomain. */
  readonly validateName?: (name: string) => string[];
  /** Finalizers need no domain. Those of custom kinds never need one. */
  readonly anyFinalizer?: boolean;
  /** metadata.generation counts changes of everything but metadata and status. */
  readonly hasGeneration?: boolean;
  /** Top-level fields that the main endpoint ignores on update; it records no field manager for them. */
  readonly ignoredFields?: readonly string[];
  /** A PUT must name the resourceVersion it replaces. Otherwise a PUT without one replaces any version. */
  readonly requiresVersion?: boolean;
  /** A PUT on a name that does not exist creates it (Lease, Event, …). */
  readonly createOnUpdate?: boolean;
  /** The grace period of a deletion in seconds, given the requested one. Default: none. */
  readonly gracePeriod?: (object: KubeObject, asked: number | undefined) => number | bigint;
  /** Why this object may never be deleted. */
  readonly refuseDelete?: (object: KubeObject) => string | undefined;
  /**
   * What a deletion changes beyond deletionTimestamp in an object that is not removed at once. Called once, at its begin.
   * Such a deletion sets no grace period and does not raise the generation.
   */
  readonly onDelete?: (object: KubeObject, now: number) => KubeObject;
  /** Something beyond metadata.finalizers keeps a deleted object. */
  readonly isHeld?: (object: KubeObject) => boolean;
  /** A deletion without propagationPolicy orphans dependents; `warning` goes to the client that deletes. */
  readonly orphans?: { readonly warning?: string };
  /** A delete is answered with the object instead of a Status. */
  readonly returnDeleted?: boolean;
}

export type Subresource =
  | {
      readonly type: "status";
      /** The top-level fields this endpoint writes. Default `status`; `namespaces/finalize` writes `spec`. */
      readonly writes?: readonly string[];
      /** The endpoint leaves metadata alone. Those of custom kinds always do. */
      readonly keepsMetadata?: boolean;
      /** Default: get, patch and update. */
      readonly verbs?: readonly Verb[];
      readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, now: number) => void;
      readonly validateUpdate?: Strategy["validateUpdate"];
    }
  | {
      readonly type: "scale";
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
      /** Instead of a path, where the object does not hold its selector as text. */
      readonly labelSelector?: (object: KubeObject) => string;
    }
  /** An action on the object rather than a part of it: `serviceaccounts/token`. The body is of another kind. */
  | {
      readonly type: "action";
      readonly group: string;
      readonly version: string;
      readonly kind: string;
      readonly verbs: readonly Verb[];
      readonly schema: Schema;
      readonly defaults?: (body: KubeObject) => void;
      /** Checks and completes the admitted body, before validating admission sees it. */
      readonly prepare?: (body: KubeObject, context: ActionContext) => void;
      readonly perform: (body: KubeObject, context: ActionContext) => Promise<KubeObject>;
    }
  /** Passed through to a kubelet, byte by byte: `pods/log`, `nodes/proxy`. */
  | {
      readonly type: "connect";
      /** The kind in discovery. */
      readonly kind: string;
      readonly verbs: readonly Verb[];
      readonly connect: (connection: Connection) => Promise<void>;
    };

export interface Connection {
  readonly namespace: string;
  readonly name: string;
  /** The part of the URL after the subresource, with the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

export interface ActionContext {
  readonly user: User;
  /** Of the object that the action is on; empty for a kind that is only computed. */
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
}

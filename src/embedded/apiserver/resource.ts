import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import type { Schema } from "../../language/schema/schema.ts";
import type { Reservation } from "./allocation/service-pools.ts";
import type { User } from "./auth/user.ts";
import type { HttpRequest, HttpResponse } from "./http/exchange.ts";
import type { ClientConfig } from "./webhook-client/review-client.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One kind in one served version: everything the request handlers need to know of it, built in or custom. */
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
  /** What discovery says of a kind on its way out: less than what is still answered. */
  readonly toldVerbs?: readonly Verb[];
  /** The version objects are stored in; another version of the same kind converts when it reads and writes. */
  readonly storageVersion: string;
  /** Of a custom kind: all its versions, and who converts between them. */
  readonly versions?: Versions;
  /** Objects of this kind are those of another one, which this one shows in words of its own. */
  readonly storedAs?: StoredAs;
  /** The whole object's schema, `metadata` included. Drives decoding, pruning, ownership of fields and strategic merge. */
  readonly schema: Schema;
  /** Built-in kinds are decoded as Go decodes them and know strategic merge; custom ones follow their schema. */
  readonly origin: "builtin" | "custom";
  /** Sent with every answer about this version: it is deprecated. */
  readonly warning?: string;
  /** Field selectors beyond metadata.name and metadata.namespace: `spec.nodeName` → its value in an object. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly columns: readonly Column[];
  readonly strategy: Strategy;
  /** Nothing of this kind is stored: a create is answered with what this returns (SelfSubjectAccessReview, …). */
  readonly compute?: (body: KubeObject, context: ActionContext) => Promise<KubeObject>;
  /** `status`, `scale`, … Only those named here are served. */
  readonly subresources: Readonly<Record<string, Subresource>>;
}

/** Where the objects lie that two kinds have in common, and the way there and back. Both make a new object. */
export interface StoredAs {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly toStored: (shown: KubeObject) => KubeObject;
  readonly fromStored: (stored: KubeObject) => KubeObject;
}

export interface Versions {
  /** By name, whether they are served or not: stored objects may be in any. */
  readonly all: ReadonlyMap<string, Resource>;
  /** Absent where versions differ in nothing but apiVersion. */
  readonly webhook?: ConversionWebhook;
  /** Only objects that lie in this very version are read and written, and nothing is converted. */
  readonly asIs?: boolean;
}

export interface ConversionWebhook {
  readonly client: ClientConfig;
  /** The version of ConversionReview it understands. */
  readonly speaks: "v1" | "v1beta1";
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

/** What admission may look up: `priorityclasses.scheduling.k8s.io`, `high`. */
export interface Lookup {
  head(collection: string, key: string): KubeObject | undefined;
  list(collection: string): readonly KubeObject[];
}

/** What a kind does to an object on its way in. Functions change `object` in place: it is the request's own copy. */
export interface Strategy {
  /** Fills what the user left out. Runs after decoding, on create, update and patch. */
  readonly defaults?: (object: KubeObject) => void;
  /** Sets what only the server decides; drops what this endpoint ignores (status of a new object). */
  readonly prepareForCreate?: (object: KubeObject, now: number) => void;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject) => void;
  /** Built-in admission: like prepareForCreate, but fields set here belong to no field manager. */
  readonly admitCreate?: (object: KubeObject, objects: Lookup) => void;
  /** Takes what no two objects may share; `old` is absent on creation. What the write leaves unused goes back by itself. */
  readonly allocate?: (object: KubeObject, old: KubeObject | undefined, pools: Reservation) => FieldError[];
  readonly validate?: (object: KubeObject) => FieldError[];
  /** What is asked of new objects alone. */
  readonly validateCreate?: (object: KubeObject) => FieldError[];
  readonly validateUpdate?: (object: KubeObject, old: KubeObject) => FieldError[];
  /** What the user should know of an object that is no fault. */
  readonly warnings?: (object: KubeObject) => string[];
  /** Why a name is no good for this kind; the default is a DNS subdomain. */
  readonly validateName?: (name: string) => string[];
  /** Finalizers need not name a domain; those of custom kinds never need to. */
  readonly anyFinalizer?: boolean;
  /** metadata.generation counts changes of everything but metadata and status, where the kind has it. */
  readonly hasGeneration?: boolean;
  /** Top-level fields that the main endpoint ignores on update and that belong to no manager there. */
  readonly ignoredFields?: readonly string[];
  /** A PUT must say which version it replaces. Where this is not set, one that says none replaces any. */
  readonly requiresVersion?: boolean;
  /** A PUT on a name that does not exist creates it (Lease, Event, …). */
  readonly createOnUpdate?: boolean;
  /** Seconds for which a deletion is put off, given how many were asked for. Default: none. */
  readonly gracePeriod?: (object: KubeObject, asked: number | undefined) => number;
  /** Why this object may not be deleted at all. */
  readonly refuseDelete?: (object: KubeObject) => string | undefined;
  /**
   * What a deletion changes in an object that stays for a while, beyond deletionTimestamp. Called once, when it begins.
   * A kind that has this counts no grace period and no generation for it.
   */
  readonly onDelete?: (object: KubeObject, now: number) => KubeObject;
  /** Something beyond metadata.finalizers keeps a deleted object. */
  readonly isHeld?: (object: KubeObject) => boolean;
  /** Dependents stay where a deletion does not say what becomes of them, and whoever deletes may be told. */
  readonly orphans?: { readonly warning?: string };
  /** Answer deletes with the object instead of a Status. */
  readonly returnDeleted?: boolean;
}

export type Subresource =
  | {
      readonly type: "status";
      /** The top-level fields this endpoint writes, `status` unless told: `namespaces/finalize` writes `spec`. */
      readonly writes?: readonly string[];
      /** Labels and the like stay as they are too; of custom kinds they always do. */
      readonly keepsMetadata?: boolean;
      /** What the endpoint takes: get, patch and update unless told. */
      readonly verbs?: readonly Verb[];
      readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, now: number) => void;
      readonly validateUpdate?: (object: KubeObject, old: KubeObject) => FieldError[];
    }
  | {
      readonly type: "scale";
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
      /** In place of a path, where the object says its selector in another form. */
      readonly labelSelector?: (object: KubeObject) => string;
    }
  /** A deed rather than a part of the object: `serviceaccounts/token`. The body is of another kind. */
  | {
      readonly type: "action";
      readonly group: string;
      readonly version: string;
      readonly kind: string;
      readonly verbs: readonly Verb[];
      readonly schema: Schema;
      readonly defaults?: (body: KubeObject) => void;
      /** Checks and completes what was admitted; what may only refuse sees what came of it. */
      readonly prepare?: (body: KubeObject, context: ActionContext) => void;
      readonly perform: (body: KubeObject, context: ActionContext) => Promise<KubeObject>;
    }
  /** Answered from elsewhere, byte by byte: `pods/log`, `nodes/proxy`. */
  | {
      readonly type: "connect";
      /** What discovery says the body is of. */
      readonly kind: string;
      readonly verbs: readonly Verb[];
      readonly connect: (connection: Connection) => Promise<void>;
    };

export interface Connection {
  readonly namespace: string;
  readonly name: string;
  /** What follows the subresource in the URL, query included. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

export interface ActionContext {
  readonly user: User;
  /** Of the object the action is upon; empty for a kind that is only computed. */
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
}

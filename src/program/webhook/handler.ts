import type { KubeObject } from "../../language/object/meta.ts";
import type { StatusDetails } from "../../language/object/status.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What the API server asks about one write. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  /** What was written, where it was converted before it is shown. */
  readonly requestKind?: GroupVersionKind;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly userInfo: { readonly username?: string; readonly groups?: readonly string[] };
  readonly object: KubeObject | null;
  readonly oldObject: KubeObject | null;
  readonly dryRun?: boolean;
}

export type Decision =
  | {
      readonly type: "allow";
      /** The object as it should be, where it should be another. */
      readonly object?: KubeObject;
      readonly warnings?: readonly string[];
    }
  | {
      readonly type: "deny";
      readonly message: string;
      /** HTTP status the client sees. Default 403. */
      readonly code?: number;
      readonly reason?: string;
      /** What is wrong field by field, which clients show instead of the message. */
      readonly details?: StatusDetails;
      readonly warnings?: readonly string[];
    };

/** Which writes a webhook is asked about, as admission configurations say it. */
export interface AdmissionRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly scope?: "Cluster" | "Namespaced" | "*";
}

/** One opinion on writes, served under `/admit/<name>`. It has no side effects: a dry run asks it as well. */
export interface AdmissionHandler {
  /** Part of the webhook's name and path. */
  readonly name: string;
  readonly type: "mutating" | "validating";
  readonly rules: readonly AdmissionRule[];
  /** Whether writes go on while nobody answers. */
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
  review(request: AdmissionRequest): Decision | Promise<Decision>;
}

/** Turns objects of one custom kind into another of its versions, served under `/convert/<definition>`. */
export interface ConversionHandler {
  /** Name of the CustomResourceDefinition: `performanceprofiles.performance.openshift.io`. */
  readonly definition: string;
  /** The object in the version asked for, the caller's own. Throws to say why not. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
}

export interface Handlers {
  readonly admission: readonly AdmissionHandler[];
  readonly conversion: readonly ConversionHandler[];
}

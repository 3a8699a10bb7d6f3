import type { KubeObject } from "../../language/object/meta.ts";
import type { StatusDetails } from "../../language/object/status.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The request of an AdmissionReview. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  /** The kind that the client wrote, where the API server converted the object for this webhook. */
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

/** Which rule decided, for metrics and the decision log. Both texts come from a short list. */
export interface Verdict {
  readonly rule: string;
  readonly outcome: string;
}

export type Decision = (
  | {
      readonly type: "allow";
      /** The object to store instead, if the handler changes it. */
      readonly object?: KubeObject;
    }
  | {
      readonly type: "deny";
      readonly message: string;
      /** HTTP status the client sees. Default 403. */
      readonly code?: number;
      readonly reason?: string;
      /** The errors by field. kubectl shows them instead of the message. */
      readonly details?: StatusDetails;
    }
) & { readonly warnings?: readonly string[]; readonly verdict?: Verdict };

/** Which writes the API server sends to a webhook: a rule of an admission configuration. */
export interface AdmissionRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly scope?: "Cluster" | "Namespaced" | "*";
}

/** An expression in CEL about the request. API servers call the webhook only if all of them are true. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** One entry of a webhook configuration: whether writes succeed while the webhook does not answer, and which it is for. */
export interface WebhookEntry {
  /** Part of the entry's name, after the handler's. Default: none. */
  readonly suffix?: string;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly matchConditions?: readonly MatchCondition[];
}

/** Reviews writes, under the path `/admit/<name>`. A review has no side effects, since dry runs ask for it too. */
export interface AdmissionHandler {
  /** Part of the webhook's name and path. */
  readonly name: string;
  readonly type: "mutating" | "validating";
  readonly rules: readonly AdmissionRule[];
  /** Several if writes to some namespaces may not wait for the webhook: their conditions exclude each other. */
  readonly entries: readonly WebhookEntry[];
  /** Default 10. */
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
  review(request: AdmissionRequest): Decision | Promise<Decision>;
  /** Called when the answer has been sent. It may write, but not for a dry run. */
  answered?(request: AdmissionRequest, decision: Decision): void;
}

/** Converts objects of one custom kind between its versions, under the path `/convert/<definition>`. */
export interface ConversionHandler {
  /** Name of the CustomResourceDefinition: `performanceprofiles.performance.openshift.io`. */
  readonly definition: string;
  /** A new object in the version asked for. Throws with the reason if it cannot be converted. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
}

export interface Handlers {
  readonly admission: readonly AdmissionHandler[];
  readonly conversion: readonly ConversionHandler[];
}

/** API servers and clients truncate longer warnings. */
const longestWarning = 256;

export function shortWarning(text: string): string {
  return text.length <= longestWarning ? text : `${text.slice(0, longestWarning - 1)}…`;
}

/** The request body is not a review that could be answered. */
export class BadReviewError extends Error {
  override readonly name = "BadReviewError";
}

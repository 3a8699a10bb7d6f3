import { isObject, type Json } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { jsonPatchBetween } from "../../language/patch/json-patch/json-patch-between.ts";
import { type AdmissionHandler, type AdmissionRequest, BadReviewError, type Decision } from "./handler.ts";

const apiVersions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

export interface AnsweredAdmission {
  readonly review: object;
  readonly request: AdmissionRequest;
  readonly decision: Decision;
  /** The number of operations in the patch. */
  readonly changes: number;
}

/** The answer to an AdmissionReview. Errors of the handler pass through. */
export async function answerAdmission(handler: AdmissionHandler, body: unknown): Promise<AnsweredAdmission> {
  const { apiVersion, request } = parse(body);
  const decision = await handler.review(request);
  const operations =
    decision.type === "allow" && decision.object
      ? jsonPatchBetween(request.object as Json, decision.object as Json)
      : [];
  const patch =
    operations.length > 0
      ? { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") }
      : {};
  const response = {
    uid: request.uid,
    allowed: decision.type === "allow",
    ...statusOf(decision),
    ...warningsOf(decision),
    ...patch,
  };
  return { review: { apiVersion, kind: "AdmissionReview", response }, request, decision, changes: operations.length };
}

function statusOf(decision: Decision): object {
  if (decision.type === "allow") return {};
  const { message, code = 403, reason = "Forbidden", details } = decision;
  return { status: { status: "Failure", message, reason, code, ...(details ? { details } : {}) } };
}

function warningsOf({ warnings = [] }: Decision): object {
  return warnings.length > 0 ? { warnings } : {};
}

function parse(body: unknown): { apiVersion: string; request: AdmissionRequest } {
  const { kind, apiVersion, request } = isObject(body) ? body : {};
  if (kind !== "AdmissionReview" || typeof apiVersion !== "string" || !apiVersions.includes(apiVersion))
    throw new BadReviewError(`not an AdmissionReview of ${apiVersions.join(" or ")}`);
  if (!isObject(request) || typeof request.uid !== "string" || request.uid === "")
    throw new BadReviewError("the review has no request with a uid");
  if (!isObject(request.kind) || !isObject(request.resource) || typeof request.operation !== "string")
    throw new BadReviewError("the request has no kind, resource or operation");
  const { object = null, oldObject = null } = request;
  return {
    apiVersion,
    request: {
      ...(request as unknown as AdmissionRequest),
      userInfo: isObject(request.userInfo) ? request.userInfo : {},
      object: objectIn(object, "object"),
      oldObject: objectIn(oldObject, "oldObject"),
    },
  };
}

function objectIn(value: Json, field: string): KubeObject | null {
  if (value === null) return null;
  if (!isObject(value) || !isObject(value.metadata ?? {}))
    throw new BadReviewError(`request.${field} is not an object`);
  return { ...value, metadata: value.metadata ?? {} } as unknown as KubeObject;
}

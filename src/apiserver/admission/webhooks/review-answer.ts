import { isObject } from "../../../object/json.ts";
import { parseApiVersion } from "../../../object/meta.ts";
import type { StatusDetails } from "../../../object/status.ts";
import type { Review } from "./admission-review.ts";

/** What a webhook had to say. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  /** JSON, in base64 on the wire. */
  readonly patch: string | undefined;
  readonly patchType: string | undefined;
  readonly refusal: Refusal;
  readonly warnings: readonly string[];
}

export interface Refusal {
  readonly code?: number;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
}

/** An answer that cannot be taken for one. */
export class AnswerFault extends Error {}

/** Reads what came back. The old version of the review was never checked, and nobody begins now. */
export function readAnswer(answer: unknown, { uid, version }: Review, mutating: boolean): ReviewAnswer {
  const { apiVersion, kind, response } = typed(answer, "", { apiVersion: "string", kind: "string" });
  if (response === undefined || response === null) throw new AnswerFault("webhook response was absent");
  const { allowed, ...given } = typed(response, "response.", {
    uid: "string",
    allowed: "bool",
    patch: "string",
    patchType: "string",
  });
  const { status, warnings } = given;
  const said = {
    allowed: allowed === true,
    refusal: (isObject(status) ? status : {}) as Refusal,
    warnings: Array.isArray(warnings) ? warnings.filter((text) => typeof text === "string") : [],
  };
  const patch = typeof given.patch === "string" && given.patch !== "" ? decoded(given.patch) : undefined;
  const patchType = typeof given.patchType === "string" ? given.patchType : undefined;
  if (version === "v1beta1")
    return { ...said, patch: mutating ? patch : undefined, patchType: patch ? "JSONPatch" : undefined };

  if (given.uid !== uid)
    throw new AnswerFault(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given.uid ?? "")}`);
  const wanted = "admission.k8s.io/v1, Kind=AdmissionReview";
  const got = shownKind(apiVersion, kind);
  if (got !== wanted) throw new AnswerFault(`expected webhook response of ${wanted}, got ${got}`);
  const fault = mutating ? patchFault(patch, patchType) : unwantedPatch(patch, patchType);
  if (fault) throw new AnswerFault(fault);
  return { ...said, patch, patchType };
}

function patchFault(patch: string | undefined, type: string | undefined): string | undefined {
  if (patch && type === undefined) return "webhook returned response.patch but not response.patchType";
  if (!patch && type !== undefined) return "webhook returned response.patchType but not response.patch";
  return type === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function unwantedPatch(patch: string | undefined, type: string | undefined): string | undefined {
  if (patch) return "validating webhook may not return response.patch";
  return type === undefined ? undefined : "validating webhook may not return response.patchType";
}

function shownKind(apiVersion: unknown, kind: unknown): string {
  const { group, version } = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  return `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
}

/** Fields of the types they must have; what is null is not there. */
function typed(
  value: unknown,
  path: string,
  types: Readonly<Record<string, "string" | "bool">>,
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new UnreadableAnswer(`${goType(value)} into Go struct field AdmissionReview.${path}`);
  for (const [field, type] of Object.entries(types)) {
    const found = value[field];
    if (found === undefined || found === null || goType(found) === type) continue;
    throw new UnreadableAnswer(`${goType(found)} into Go struct field AdmissionReview.${path}${field} of type ${type}`);
  }
  return value;
}

/** The answer is JSON, but no review. */
export class UnreadableAnswer extends Error {
  constructor(what: string) {
    super(`json: cannot unmarshal ${what}`);
  }
}

function goType(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

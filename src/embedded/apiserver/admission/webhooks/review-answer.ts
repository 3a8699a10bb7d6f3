import { isObject } from "../../../../language/object/json.ts";
import { parseApiVersion } from "../../../../language/object/meta.ts";
import type { StatusDetails } from "../../../../language/object/status.ts";
import { canonicalBase64 } from "../../kinds/decode/base64.ts";
import { jsonType } from "../../kinds/decode/decoding.ts";
import type { Review, ReviewVersion } from "./admission-review.ts";

/** A webhook's response. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  /** A JSON patch, as text. */
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

/** The response is not an AdmissionReview. */
export class UnreadableAnswer extends Error {}

/** The response is an AdmissionReview, but not a valid answer to the request. */
export class AnswerFault extends Error {}

/** Reads a response. As in kube-apiserver, v1beta1 responses are not checked. */
export function readAnswer(answer: unknown, { uid, version }: Review, mutating: boolean): ReviewAnswer {
  const { apiVersion, kind, response } = reviewIn(answer, version);
  if (response === undefined) throw new AnswerFault("webhook response was absent");
  const { patchType } = response;
  const patch = response.patch === undefined ? undefined : decoded(response.patch);
  if (version === "v1") {
    if (response.uid !== uid)
      throw new AnswerFault(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
    const got = shownKind(apiVersion, kind);
    if (got !== v1Review) throw new AnswerFault(`expected webhook response of ${v1Review}, got ${got}`);
    const fault = mutating ? patchFault(patch, patchType) : unwantedPatch(patch, patchType);
    if (fault) throw new AnswerFault(fault);
  }
  return {
    allowed: response.allowed === true,
    patch: mutating ? patch : undefined,
    patchType: version === "v1" ? patchType : "JSONPatch",
    refusal: response.status ?? {},
    warnings: response.warnings ?? [],
  };
}

const v1Review = "admission.k8s.io/v1, Kind=AdmissionReview";

interface Response {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly patch?: string;
  readonly patchType?: string;
  readonly status?: Refusal;
  readonly warnings?: readonly string[];
}

/** Go types of the fields, for Go's decoding errors. */
const types = {
  uid: "types.UID",
  allowed: "bool",
  patch: "[]uint8",
  patchType: "PatchType",
  status: "v1.Status",
  warnings: "[]string",
  auditAnnotations: "map[string]string",
} as const;

const fits: Readonly<Record<keyof typeof types, (value: unknown) => boolean>> = {
  uid: isString,
  allowed: (value) => typeof value === "boolean",
  patch: isString,
  patchType: isString,
  status: (value) =>
    isObject(value) &&
    (["message", "reason"] as const).every((field) => value[field] === undefined || isString(value[field])) &&
    (value.code === undefined || Number.isInteger(value.code)) &&
    (value.details === undefined || isObject(value.details)),
  warnings: (value) => Array.isArray(value) && value.every(isString),
  auditAnnotations: (value) => isObject(value) && Object.values(value).every(isString),
};

/** A null field counts as absent. */
function reviewIn(
  answer: unknown,
  version: ReviewVersion,
): { readonly apiVersion?: unknown; readonly kind?: unknown; readonly response?: Response } {
  if (answer === null) return {};
  if (!isObject(answer)) throw new UnreadableAnswer(`couldn't get version/kind; json parse error: ${typeMeta(answer)}`);
  const { apiVersion, kind, response } = answer;
  checkKind(apiVersion, kind, version);
  if (response === undefined || response === null) return { apiVersion, kind };
  if (!isObject(response)) throw misfit(response, "AdmissionReview.response", `${version}.AdmissionResponse`);
  const read: Record<string, unknown> = {};
  for (const field of Object.keys(types) as (keyof typeof types)[]) {
    const value = response[field];
    if (value === undefined || value === null) continue;
    if (!fits[field](value)) throw misfit(value, `AdmissionResponse.response.${field}`, types[field]);
    read[field] = value;
  }
  return { apiVersion, kind, response: read };
}

/** Kind and apiVersion may be missing, but not wrong. */
function checkKind(apiVersion: unknown, kind: unknown, version: ReviewVersion): void {
  const given = isString(apiVersion) && apiVersion !== "" ? apiVersion : `admission.k8s.io/${version}`;
  if ((kind && kind !== "AdmissionReview") || parseApiVersion(given).group !== "admission.k8s.io")
    throw new UnreadableAnswer(
      `no kind ${JSON.stringify(kind ?? "AdmissionReview")} is registered for version ${JSON.stringify(given)}`,
    );
  const other = parseApiVersion(given).version;
  if (other !== version)
    throw new UnreadableAnswer(
      `converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
    );
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
  const { group, version } = parseApiVersion(isString(apiVersion) ? apiVersion : "");
  return `${group}/${version}, Kind=${isString(kind) ? kind : ""}`;
}

function misfit(value: unknown, field: string, type: string): UnreadableAnswer {
  return new UnreadableAnswer(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field} of type ${type}`,
  );
}

function typeMeta(value: unknown): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function decoded(text: string): string {
  const read = canonicalBase64(text);
  if (read.type === "bad") throw new UnreadableAnswer(`illegal base64 data at input byte ${read.at}`);
  return Buffer.from(read.text, "base64").toString("utf8");
}

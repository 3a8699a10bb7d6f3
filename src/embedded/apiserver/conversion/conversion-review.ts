import { writeJson } from "../../../language/object/exact-json.ts";
import { get, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { StatusError } from "../status-error.ts";
import { keepIdentity, otherIdentity } from "./keep-identity.ts";

/** The request to a webhook: convert these objects of one kind to a version. */
export interface Question {
  readonly uid: string;
  readonly objects: readonly KubeObject[];
  /** `x.io/v2` */
  readonly desired: string;
  /** The version of the review itself. */
  readonly reviewVersion: "v1" | "v1beta1";
}

const REVIEW = "ConversionReview";
const groupVersion = ({ reviewVersion }: Question): string => `apiextensions.k8s.io/${reviewVersion}`;

export function reviewOf(question: Question): object {
  const { uid, desired, objects } = question;
  return {
    kind: REVIEW,
    apiVersion: groupVersion(question),
    request: { uid, desiredAPIVersion: desired, objects: objects.map(withoutVersion) },
  };
}

/** As kube-apiserver: webhooks do not see the resourceVersion. */
function withoutVersion(object: KubeObject): object {
  return { ...object, metadata: { ...object.metadata, resourceVersion: undefined } };
}

/** The converted objects in order, with the originals' metadata except labels and annotations. Throws if invalid. */
export function convertedIn(answer: unknown, question: Question): KubeObject[] {
  const { objects, desired } = question;
  const converted = objectsIn(answer, question);
  if (converted.length !== objects.length)
    throw refusal(question, `returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((original, index) => {
    const object = converted[index];
    const at = objects.length === 1 ? "object" : `converted object at index ${index}`;
    const wrong = otherKind(object, original, desired);
    if (wrong !== undefined) throw refusal(question, `returned invalid ${one(objects, index)}: ${wrong}`);
    const other = otherIdentity(object as KubeObject, original);
    if (other !== undefined) throw refusal(question, `returned invalid ${at}: ${other}`);
    const kept = keepIdentity(object as KubeObject, original);
    if (kept.type === "kept") return kept.object;
    const where = objects.length === 1 ? "metadata" : `metadata in object at index ${index}`;
    throw refusal(question, `returned invalid ${where}: ${kept.reason}`);
  });
}

const one = ({ length }: readonly unknown[], index: number): string =>
  length === 1 ? "object at index 0" : `converted object at index ${index}`;

function objectsIn(answer: unknown, question: Question): readonly unknown[] {
  // In v1beta1 the uid of the response is not checked.
  if (question.reviewVersion === "v1") checkReview(answer, question);
  const response = get(answer, "response");
  if (!isObject(response)) throw failure(question, "no response provided");
  if (question.reviewVersion === "v1" && response.uid !== question.uid)
    throw failure(question, `expected response.uid=${quoted(question.uid)}, got ${quoted(response.uid ?? "")}`);
  const { status, message } = isObject(response.result) ? response.result : {};
  if (status !== "Success")
    throw failure(
      question,
      typeof message === "string" && message !== ""
        ? message
        : `response.result.status was '${typeof status === "string" ? status : ""}', not 'Success'`,
    );
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

function checkReview(answer: unknown, question: Question): void {
  const { kind = "", apiVersion = "/" } = isObject(answer) ? answer : {};
  if (kind !== REVIEW || apiVersion !== groupVersion(question))
    throw failure(
      question,
      `expected webhook response of ${groupVersion(question)}, Kind=${REVIEW}, got ${text(apiVersion)}, Kind=${text(kind)}`,
    );
}

function otherKind(object: unknown, original: KubeObject, desired: string): string | undefined {
  if (!isObject(object)) return "must be an object";
  if (object.apiVersion !== desired)
    return `invalid groupVersion (expected ${desired}, received ${text(object.apiVersion ?? "/")})`;
  if (object.kind !== original.kind)
    return `invalid kind (expected ${original.kind}, received ${text(object.kind ?? "")})`;
  return undefined;
}

/** The error for a failed call or a failure that the webhook reported. */
export function failure(question: Question, why: string): StatusError {
  return refusal(question, `failed: ${why}`);
}

function refusal({ objects }: Question, what: string): StatusError {
  const { apiVersion = "", kind = "" } = objects[0] ?? {};
  return new StatusError(500, "", `conversion webhook for ${apiVersion}, Kind=${kind} ${what}`);
}

const quoted = (value: unknown): string => writeJson(value);
const text = (value: unknown): string => (typeof value === "string" ? value : quoted(value));

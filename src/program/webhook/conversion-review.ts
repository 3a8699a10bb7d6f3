import { isObject, type Json } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { BadReviewError, type ConversionHandler } from "./handler.ts";

const apiVersions = ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];

export interface AnsweredConversion {
  readonly review: object;
  readonly uid: string;
  readonly desired: string;
  readonly objects: number;
  /** Why no object was converted. */
  readonly failure?: string;
}

/** The answer to a ConversionReview: all objects in order, or none and the reason. */
export function answerConversion(handler: ConversionHandler, body: unknown): AnsweredConversion {
  const { apiVersion, uid, desired, objects } = parse(body);
  const answer = (response: object): object => ({
    apiVersion,
    kind: "ConversionReview",
    response: { uid, ...response },
  });
  try {
    const convertedObjects = objects.map((object) => converted(handler, object, desired));
    const review = answer({ convertedObjects, result: { status: "Success" } });
    return { review, uid, desired, objects: objects.length };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    const review = answer({ convertedObjects: [], result: { status: "Failure", message: failure } });
    return { review, uid, desired, objects: objects.length, failure };
  }
}

function converted(handler: ConversionHandler, object: KubeObject, desired: string): KubeObject {
  if (object.apiVersion === desired) return object;
  try {
    return { ...handler.convert(object, desired), apiVersion: desired };
  } catch (error) {
    const { namespace, name } = object.metadata;
    const which = [namespace, name].filter(Boolean).join("/");
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`convert ${object.kind} ${which} from ${object.apiVersion} to ${desired}: ${why}`, {
      cause: error,
    });
  }
}

interface Conversion {
  readonly apiVersion: string;
  readonly uid: string;
  readonly desired: string;
  readonly objects: readonly KubeObject[];
}

function parse(body: unknown): Conversion {
  const { kind, apiVersion, request } = isObject(body) ? body : {};
  if (kind !== "ConversionReview" || typeof apiVersion !== "string" || !apiVersions.includes(apiVersion))
    throw new BadReviewError(`not a ConversionReview of ${apiVersions.join(" or ")}`);
  if (!isObject(request) || typeof request.uid !== "string" || request.uid === "")
    throw new BadReviewError("the review has no request with a uid");
  const { uid, desiredAPIVersion: desired, objects } = request;
  if (typeof desired !== "string" || !Array.isArray(objects) || !objects.every(isKubeObject))
    throw new BadReviewError("the request has no objects or no desiredAPIVersion");
  return { apiVersion, uid, desired, objects: objects as unknown as KubeObject[] };
}

function isKubeObject(value: Json): boolean {
  return isObject(value) && typeof value.apiVersion === "string" && isObject(value.metadata);
}

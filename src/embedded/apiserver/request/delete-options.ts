import { writeJson } from "../../../language/object/exact-json.ts";
import { isObject, type Json } from "../../../language/object/json.ts";
import { invalid, notSupported } from "../../../language/schema/field-error.ts";
import { dryRunErrors, isTrue, wholeNumber } from "./options.ts";
import { decodeBuiltin } from "../kinds/decode/decode.ts";
import { DecodeError } from "../kinds/decode/decoding.ts";
import { definitionOf } from "../kinds/definitions.ts";
import { badRequest, invalidObject } from "../status-error.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: "Background" | "Foreground" | "Orphan" | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
  /** As the client sent them. */
  readonly sent: object;
}

/** The options in the body or, without a body, in the query. */
export function deleteOptions(query: URLSearchParams, body: Json): DeleteOptions {
  const given = body === null ? fromQuery(query) : fromBody(body);
  const propagation = given.propagationPolicy;
  const errors = dryRunErrors(given.dryRun ?? []);
  if (given.orphanDependents !== undefined && propagation !== undefined)
    errors.push(
      invalid("propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"),
    );
  if (propagation !== undefined && !isPropagation(propagation))
    errors.push(notSupported("propagationPolicy", propagation, ["Foreground", "Background", "Orphan", "nil"]));
  if (errors.length > 0) throw invalidObject("meta.k8s.io", "DeleteOptions", "", errors);
  const seconds = given.gracePeriodSeconds;
  return {
    // As kube-apiserver: a negative period means one second.
    gracePeriodSeconds: seconds === undefined ? undefined : seconds < 0 ? 1 : Number(seconds),
    propagation: (propagation ?? dependents(given.orphanDependents)) as DeleteOptions["propagation"],
    uid: given.preconditions?.uid,
    resourceVersion: given.preconditions?.resourceVersion,
    dryRun: (given.dryRun ?? []).length > 0,
    sent: { ...given, dryRun: given.dryRun?.length ? given.dryRun : undefined },
  };
}

interface Given {
  gracePeriodSeconds?: number | bigint | undefined;
  propagationPolicy?: string | undefined;
  orphanDependents?: boolean;
  dryRun?: string[];
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** The deprecated orphanDependents. */
function dependents(orphan: boolean | undefined): DeleteOptions["propagation"] {
  return orphan === undefined ? undefined : orphan ? "Orphan" : "Background";
}

function fromQuery(query: URLSearchParams): Given {
  const propagationPolicy = query.get("propagationPolicy") ?? undefined;
  return {
    gracePeriodSeconds: wholeNumber(query, "gracePeriodSeconds"),
    propagationPolicy: propagationPolicy === "" ? undefined : propagationPolicy,
    ...(query.has("orphanDependents") ? { orphanDependents: isTrue(query.get("orphanDependents")) } : {}),
    dryRun: query.getAll("dryRun"),
  };
}

/** Decoded strictly: a misspelt precondition must not be ignored. */
function fromBody(body: Json): Given {
  if (!isObject(body)) throw badRequest("the body of a delete must be DeleteOptions");
  if (body.kind !== undefined && body.kind !== "DeleteOptions")
    throw badRequest(`the body of a delete must be DeleteOptions, not ${writeJson(body.kind)}`);
  try {
    return decodeBuiltin(body, definitionOf("meta.k8s.io", "v1", "DeleteOptions")).object as Given;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`reading DeleteOptions failed: ${error.message}`);
    throw error;
  }
}

function isPropagation(value: string): boolean {
  return value === "Background" || value === "Foreground" || value === "Orphan";
}

import { forbidden, invalid, notSupported, required, type FieldError } from "../../../language/schema/field-error.ts";
import { badRequest, invalidObject, type StatusError } from "../status-error.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly fieldManager: string;
  readonly force: boolean;
  /** As the client sent them. Admission sees a patch as the create or update that it is. */
  readonly as: (kind: "CreateOptions" | "UpdateOptions") => object;
}

/** The query of a create, update or patch. `kind` names it in errors: `CreateOptions`. */
export function writeOptions(query: URLSearchParams, kind: string, userAgent: string, apply = false): WriteOptions {
  const errors: FieldError[] = [...dryRunErrors(query.getAll("dryRun"))];
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > 128)
    errors.push({
      reason: "FieldValueTooLong",
      field: "fieldManager",
      message: "Too long: may not be more than 128 bytes",
    });
  if ([...fieldManager].some((character) => character < " " || character === "\x7f"))
    errors.push(invalid("fieldManager", fieldManager, "should only contain printable characters"));
  if (apply && fieldManager === "") errors.push(required("fieldManager", "is required for apply patch"));
  if (!apply && isForced(query) && kind === "PatchOptions")
    errors.push(forbidden("force", "may not be specified for non-apply patch"));
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (!isFieldValidation(fieldValidation))
    errors.push(notSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  if (errors.length > 0 || !isFieldValidation(fieldValidation)) throw invalidObject("meta.k8s.io", kind, "", errors);
  return {
    dryRun: query.getAll("dryRun").length > 0,
    fieldValidation,
    fieldManager: fieldManager || managerOf(userAgent),
    force: isForced(query),
    as: (kind) => optionsIn(query, kind),
  };
}

function optionsIn(query: URLSearchParams, kind: string): object {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager");
  const fieldValidation = query.get("fieldValidation");
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((value) => value === "All")) return [];
  return [
    {
      reason: "FieldValueNotSupported",
      field: "dryRun",
      message: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
    },
  ];
}

function isFieldValidation(value: string): value is WriteOptions["fieldValidation"] {
  return value === "Ignore" || value === "Warn" || value === "Strict";
}

function isForced(query: URLSearchParams): boolean {
  return query.has("force") && isTrue(query.get("force"));
}

/** `kubectl/v1.32.0 (linux/amd64)` → `kubectl`. */
function managerOf(userAgent: string): string {
  const name = userAgent.split("/", 1)[0] ?? "";
  return name.slice(0, 128) || "unknown";
}

export interface ListQuery {
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: number | undefined;
  readonly match: "" | "Exact" | "NotOlderThan";
  /** 0 if the client does not say. */
  readonly timeoutSeconds: number;
  /** Whether a watch begins with the current state; undefined leaves it to resourceVersion. */
  readonly sendInitialEvents: boolean | undefined;
  readonly bookmarks: boolean;
}

/** The query of a list or watch. */
export function listQuery(query: URLSearchParams, watching: boolean): ListQuery {
  const errors: FieldError[] = [];
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const sendInitialEvents = query.has("sendInitialEvents");
  if (sendInitialEvents && !watching)
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  if (watching && match !== "" && !sendInitialEvents)
    errors.push(
      forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  if (watching && sendInitialEvents && match !== "NotOlderThan")
    errors.push(
      forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  if (!watching && match !== "" && version === "")
    errors.push(
      forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    );
  const matches = watching ? ["NotOlderThan"] : ["Exact", "NotOlderThan"];
  if (match !== "" && !matches.includes(match))
    errors.push(notSupported("resourceVersionMatch", match, [...matches, ""]));
  if (match === "Exact" && version === "0")
    errors.push(forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  if (query.get("continue") && (watching || match !== ""))
    errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  if (errors.length > 0) throw invalidObject("meta.k8s.io", "ListOptions", "", errors);
  return {
    limit: Math.max(0, wholeNumber(query, "limit") ?? 0),
    continue: query.get("continue") ?? "",
    resourceVersion: version === "" ? undefined : revisionOf(version),
    match: match as ListQuery["match"],
    timeoutSeconds: Math.max(0, wholeNumber(query, "timeoutSeconds") ?? 0),
    sendInitialEvents: sendInitialEvents ? isTrue(query.get("sendInitialEvents")) : undefined,
    bookmarks: query.has("allowWatchBookmarks") && isTrue(query.get("allowWatchBookmarks")),
  };
}

/** NaN if invalid: list and watch refuse it with different messages. */
function revisionOf(text: string): number {
  return /^[0-9]{1,20}$/.test(text) && BigInt(text) < 2n ** 64n ? Number(text) : Number.NaN;
}

/** An int64 of the query; may be negative. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const fault = (why: string): StatusError => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^-?[0-9]+$/.test(text)) throw fault("invalid syntax");
  if (text.length > 20 || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) throw fault("value out of range");
  return Number(text);
}

/** As Kubernetes reads a query boolean: anything but false, so `?watch` alone is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && !["0", "f", "F", "false", "FALSE", "False"].includes(value);
}

import { at, isObject, withoutNulls } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import { type FieldError, invalid, required, typeInvalid } from "../../../language/schema/field-error.ts";
import { key } from "../../../language/schema/path.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import type { PerformanceProfile, PerformanceProfileSpec } from "../api.ts";
import { schemas } from "../schemas.ts";

/** A profile whose fields have the right types. */
export interface Shaped {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PerformanceProfileSpec;
}

/** Names of derived TuneD profiles have the longest prefix. */
const longestName = 253 - "openshift-node-performance-".length - "arm-aarch64-".length;

/** More levels than a profile has. */
const deepest = 8;

/** Validates types, since profiles from files may contain anything. */
export function readShape(profile: KubeObject, report: Report): Shaped | undefined {
  const name = at(profile, "metadata", "name");
  const annotations = at(profile, "metadata", "annotations") ?? {};
  const given = withoutNulls({ spec: at(profile, "spec") }, deepest) as Pick<PerformanceProfile, "spec">;
  let sound = true;
  const fault: Report = (finding, what) => {
    sound = false;
    report(finding, what);
  };
  checkName(name, fault);
  checkAnnotations(annotations, fault);
  if (given.spec === undefined) fault("FieldMissing", required("spec"));
  for (const error of validateSchema(given, schemas.v2))
    fault(error.reason === "FieldValueRequired" ? "FieldMissing" : "FieldMistyped", error);
  return sound ? ({ name, annotations, ...given } as Shaped) : undefined;
}

function checkName(name: unknown, report: Report): void {
  const field = "metadata.name";
  if (name === undefined || name === "") return report("FieldMissing", required(field));
  if (typeof name !== "string") return report("FieldMistyped", typeInvalid(field, typeName(name), "must be a string"));
  if (name.length > longestName)
    return report(
      "NameTooLong",
      invalid(field, name, `must be no more than ${longestName} characters: names are derived from it`),
    );
  for (const reason of dnsSubdomain(name)) report("NameInvalid", invalid(field, name, reason));
}

function checkAnnotations(annotations: unknown, report: Report): void {
  const field = "metadata.annotations";
  if (!isObject(annotations))
    return report("FieldMistyped", typeInvalid(field, typeName(annotations), "must be an object"));
  for (const [name, value] of Object.entries(annotations))
    if (typeof value !== "string")
      report("FieldMistyped", typeInvalid(key(field, name), typeName(value), "must be a string"));
}

/** The type, since the value may be too deep to print. */
function typeName(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** Called with every error that makes a profile unusable. */
export type Report = (name: string, fault: FieldError) => void;

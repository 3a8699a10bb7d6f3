import { isObject, type JsonObject } from "../../../language/object/json.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import { annotations as names } from "../api.ts";
import { kubeletFieldsPath, readKubeletFields } from "../kubelet-config/kubelet-fields.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import type { Report } from "./read-shape.ts";

type Annotated = Pick<ProfileFacts, "rps" | "execAffinity" | "dra" | "ovsDpdkPartition" | "kubelet" | "paused">;

export function readAnnotations(annotations: Readonly<Record<string, string>>, report: Report): Annotated {
  const valueOf = (name: string): string | undefined =>
    Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  const rps = valueOf(names.rps) === "true" || valueOf(names.rps) === "enable";
  return {
    rps: rps ? (valueOf(names.physicalRps) === "true" ? "all" : "virtual") : "none",
    execAffinity: valueOf(names.execAffinity) !== "disable",
    dra: parseGoBool(valueOf(names.dra)) ?? false,
    ovsDpdkPartition: valueOf(names.ovsDpdkBalancing)?.toLowerCase() === "disable" ? "isolated" : "member",
    kubelet: readKubelet(valueOf(names.experimentalKubelet), report),
    paused: valueOf(names.pause) === "true",
  };
}

const goBools = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** As strconv.ParseBool of Go reads it; undefined where that fails. */
export function parseGoBool(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : goBools.get(text);
}

function readKubelet(text: string | undefined, report: Report): JsonObject {
  if (text === undefined) return {};
  const read = parseFields(text);
  if (typeof read === "string") {
    report("KubeletAnnotationMalformed", invalid(kubeletFieldsPath, text, read));
    return {};
  }
  const { fields, faults } = readKubeletFields(read);
  for (const fault of faults) report("KubeletFieldMistyped", fault);
  return faults.length === 0 ? fields : {};
}

/** More levels than a KubeletConfiguration has. */
const deepest = 32;

/** The fields in the annotation, or the reason why it is invalid. */
export function parseFields(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isObject(value)) return "must be a JSON object with fields of a KubeletConfiguration";
  return isDeep(value) ? `is nested deeper than ${deepest} levels` : value;
}

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}

import { isObject, type JsonObject } from "../../../language/object/json.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import { annotations as names } from "../api.ts";
import { kubeletFieldsPath, readKubeletFields } from "../kubelet-config/kubelet-fields.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import type { Report } from "./read-shape.ts";

type Annotated = Pick<ProfileFacts, "rps" | "execAffinity" | "dra" | "ovsDpdkPartition" | "kubelet" | "paused">;

export function readAnnotations(annotations: Readonly<Record<string, string>>, report: Report): Annotated {
  const said = (name: string): string | undefined => (Object.hasOwn(annotations, name) ? annotations[name] : undefined);
  const rps = said(names.rps) === "true" || said(names.rps) === "enable";
  return {
    rps: rps ? (said(names.physicalRps) === "true" ? "all" : "virtual") : "none",
    execAffinity: said(names.execAffinity) !== "disable",
    dra: goTruth(said(names.dra)) ?? false,
    ovsDpdkPartition: said(names.ovsDpdkBalancing)?.toLowerCase() === "disable" ? "isolated" : "member",
    kubelet: readKubelet(said(names.experimentalKubelet), report),
    paused: said(names.pause) === "true",
  };
}

const truths = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** As Go reads a truth; absent where it reads none. */
export function goTruth(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : truths.get(text);
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

/** Deeper than any field of a kubelet's configuration. */
const deepest = 32;

/** The annotation's text as it is, or why it is none. */
export function parseFields(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `is no JSON: ${error instanceof Error ? error.message : String(error)}`;
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

import { isObject } from "../../../language/object/json.ts";
import type { Problem, ProblemCode } from "../admission.ts";
import { preferred, targetPrefix } from "../names.ts";
import { annotationProblem } from "./texts.ts";

export type Target =
  | { readonly type: "none" }
  | { readonly type: "workload"; readonly workload: string; readonly value: string }
  | { readonly type: "invalid"; readonly problem: Problem };

/** The workload type that a pod asks for. */
export function targetOf(annotations: Readonly<Record<string, string>>): Target {
  const [first, ...others] = Object.keys(annotations).filter((key) => key.startsWith(targetPrefix));
  if (first === undefined) return { type: "none" };
  if (others.length > 0) return { type: "invalid", problem: annotationProblem("target-multiple", [first, ...others]) };
  const workload = first.slice(targetPrefix.length);
  if (workload === "") return { type: "invalid", problem: annotationProblem("target-type-empty", first) };
  return { type: "workload", workload, value: annotations[first] ?? "" };
}

/** What is wrong with the value of a target annotation. It is read strictly: one JSON object, with `effect` alone. */
export function effectProblem(value: string): Problem | undefined {
  const code = effectCode(value);
  return code && annotationProblem(code, value);
}

function effectCode(value: string): ProblemCode | undefined {
  const effects = parsed(value);
  if (effects === null) return "effect-missing";
  if (!isObject(effects) || Object.values(effects).some((one) => typeof one !== "string")) return "effect-unparsable";
  if (Object.keys(effects).length > 1) return "effect-multiple-keys";
  if (!Object.hasOwn(effects, "effect")) return "effect-missing";
  return effects.effect === preferred ? undefined : "effect-unsupported";
}

/** Undefined if the text is not JSON. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

import { type Condition, findCondition } from "../../../language/object/condition.ts";
import { isObject, text } from "../../../language/object/json.ts";
import { readYaml, YamlError } from "../../../language/object/yaml.ts";
import { statusKey } from "../protocol.ts";
import type { ConfigMap } from "./read-manifests.ts";

/** The status of a profile as its ConfigMap tells it. Fields that Attune does not know are ignored. */
export type ReadStatus =
  | { readonly type: "status"; readonly conditions: readonly Condition[]; readonly runtimeClass?: string | undefined }
  | { readonly type: "problem"; readonly problem: string };

const limits = { tokens: 20_000, characters: 1024 * 1024 } as const;

export function readStatus({ metadata: { name = "" }, data = {} }: ConfigMap): ReadStatus {
  const problem = (what: string): ReadStatus => ({ type: "problem", problem: `ConfigMap ${name}: ${what}` });
  const content = Object.hasOwn(data, statusKey) ? data[statusKey] : undefined;
  if (content === undefined) return problem(`has no key ${statusKey}`);
  let value: unknown;
  try {
    value = readYaml(content, limits);
  } catch (error) {
    if (error instanceof YamlError) return problem(`is not YAML: ${error.message}`);
    throw error;
  }
  if (!isObject(value)) return problem("is not the status of a profile");
  const { conditions = [] } = value;
  if (!Array.isArray(conditions)) return problem("conditions is not a list");
  const read = conditions.flatMap((one) => conditionIn(one));
  // Of a repeated type the first counts, as for `kubectl wait`.
  const first = read.filter((one) => findCondition(read, one.type) === one);
  return { type: "status", conditions: first, runtimeClass: text(value["runtimeClass"]) || undefined };
}

function conditionIn(value: unknown): Condition[] {
  if (!isObject(value)) return [];
  const { status } = value;
  const type = text(value["type"]);
  if (type === "" || (status !== "True" && status !== "False" && status !== "Unknown")) return [];
  const time = text(value["lastTransitionTime"]);
  const lastTransitionTime = Number.isNaN(Date.parse(time)) ? undefined : time;
  return [{ type, status, reason: text(value["reason"]), message: text(value["message"]), lastTransitionTime }];
}

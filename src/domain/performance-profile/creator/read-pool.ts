import { apiVersion, type MachineConfigPool } from "../../machine-config/api.ts";
import { at, get } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { labelsOf, textsOf } from "./cluster-node.ts";

/** A pool, of whoever's text, with what tells which nodes are its. What is no label or expression is left out. */
export function readPool(object: KubeObject): MachineConfigPool {
  const selector = at(object, "spec", "nodeSelector");
  const expressions = get(selector, "matchExpressions");
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: object.metadata.name ?? "", labels: labelsOf(at(object, "metadata", "labels")) },
    spec: {
      nodeSelector: {
        matchLabels: textsOf(get(selector, "matchLabels")),
        ...(Array.isArray(expressions) ? { matchExpressions: expressions.map(readExpression) } : {}),
      },
    },
  };
}

function readExpression(expression: unknown): { key: string; operator: string; values?: string[] } {
  const { key = "", operator = "" } = textsOf(expression);
  const values = get(expression, "values");
  return {
    key,
    operator,
    ...(Array.isArray(values) ? { values: values.filter((one): one is string => typeof one === "string") } : {}),
  };
}

import { at, get, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { labelValue, qualifiedName } from "../../../language/object/names.ts";
import { type PoolNode, poolNodeOf } from "../pool-node.ts";
import { apiVersion, type MachineConfigPool } from "../../machine-config/api.ts";

/** A node as its object describes it. Its hardware may come from elsewhere. */
export interface ClusterNode extends PoolNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** Objects in support data may be invalid: invalid labels and taints are left out. */
export function readClusterNode(object: KubeObject): ClusterNode {
  const taints = at(object, "spec", "taints");
  return {
    ...poolNodeOf(object),
    labels: labelsOf(at(object, "metadata", "labels")),
    taints: Array.isArray(taints) ? taints.map(readTaint) : [],
  };
}

/** Valid labels only: some become names that are printed. */
export function labelsOf(value: unknown): Record<string, string> {
  const labels = Object.entries(textsOf(value));
  return Object.fromEntries(
    labels.filter(([key, text]) => qualifiedName(key).length === 0 && labelValue(text).length === 0),
  );
}

function readTaint(taint: unknown): Taint {
  const { key = "", value = "", effect = "" } = textsOf(taint);
  return { key, value, effect };
}

/** The string fields of an object. */
export function textsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  const texts = Object.keys(value).flatMap((name) => {
    const text = get(value, name);
    return typeof text === "string" ? [[name, text] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** A pool with its node selector. Invalid labels and expressions are left out. */
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

import type { KubeObject } from "../../../../language/object/meta.ts";
import { shapeOf } from "../../../../language/schema/cel/shape.ts";
import type { Type } from "../../../../language/schema/cel/type.ts";
import type { Registry } from "../../registry.ts";
import type { Resource } from "../../resource.ts";
import { compileAbout } from "../expressions/environment.ts";
import { VariableTypes } from "../expressions/variable-types.ts";
import type { PolicySpec } from "./compiled-policy.ts";
import { paramResource } from "./params.ts";

/** An expression that does not fit a kind that the policy matches. It is only a warning: schemas may change. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** As kube-apiserver: at most this many kinds are checked. */
const maxKinds = 10;

export function expressionWarnings(policy: KubeObject, registry: Registry): ExpressionWarning[] {
  const spec = policy.spec as PolicySpec;
  const { apiVersion = "", kind = "" } = spec.paramKind ?? {};
  const params = spec.paramKind && paramResource({ apiVersion, kind }, registry);
  const checks = kindsIn(spec, registry).flatMap((resource) => {
    const object = typeOf(resource);
    if (!object) return [];
    const types = new VariableTypes({
      object,
      params: params ? (typeOf(params) ?? true) : spec.paramKind !== undefined,
    });
    for (const variable of spec.variables ?? []) types.add(variable);
    const name = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    return [{ name, environment: types.environment }];
  });
  const warnings: ExpressionWarning[] = [];
  const check = (source: string | undefined, fieldRef: string): void => {
    if (!source) return;
    const faults: string[] = [];
    for (const { name, environment } of checks) {
      const outcome = compileAbout(source, environment, "any");
      if (outcome.type === "fault") faults.push(`${name}: ${outcome.shown}\n`);
    }
    if (faults.length > 0) warnings.push({ fieldRef, warning: faults.join("\n") });
  };
  for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries()) {
    check(expression, `spec.validations[${index}].expression`);
    check(messageExpression, `spec.validations[${index}].messageExpression`);
  }
  return warnings;
}

function typeOf({ schema, kind }: Resource): Type | undefined {
  return shapeOf(schema, kind)?.type;
}

/** Kinds that rules name without wildcards. */
function kindsIn({ matchConstraints }: PolicySpec, registry: Registry): Resource[] {
  const kinds = new Set<Resource>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes("*"))) continue;
    for (const group of apiGroups)
      for (const version of apiVersions)
        for (const plural of resources) {
          const found = registry.find(group, version, plural);
          if (found) kinds.add(found);
        }
  }
  const order = ({ group, version, kind }: Resource): string => `${group}\n${version}\n${kind}`;
  return [...kinds].slice(0, maxKinds).toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

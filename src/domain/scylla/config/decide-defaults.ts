import { isOurs } from "../../../language/object/custom-definition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { emptyPlan, type Plan } from "../../../language/object/plan.ts";
import {
  type ScyllaNodeConfig,
  scyllaNodeConfigKind,
  type ScyllaOperatorConfig,
  scyllaOperatorConfigKind,
} from "../api.ts";
import { defaultName, defaultNodeSelector, defaultsAnnotation } from "../names.ts";

export interface DefaultsInput {
  readonly configs: readonly ScyllaNodeConfig[];
  readonly operatorConfig: ScyllaOperatorConfig | undefined;
  /** Of a new ScyllaOperatorConfig. */
  readonly utilsImage: string;
}

/** Whether the default objects were created once. Before, no database is let go: the default config may decide about its node. */
export function areDefaultsCreated(operatorConfig: ScyllaOperatorConfig | undefined): boolean {
  return operatorConfig?.metadata.annotations?.[defaultsAnnotation] !== undefined;
}

/** Whether the operator created an object, and no user has changed its spec since. */
export function isUnchangedDefault({ kind, metadata }: KubeObject): boolean {
  const isOfScylla = kind === scyllaNodeConfigKind.kind || kind === scyllaOperatorConfigKind.kind;
  return isOfScylla && metadata.name === defaultName && metadata.generation === 1 && isOurs(metadata);
}

/**
 * The ScyllaOperatorConfig comes back when a user deletes it. The default ScyllaNodeConfig is created once, which is noted on the
 * ScyllaOperatorConfig: a user who deletes it wants no agents. Neither is ever changed otherwise.
 */
export function decideDefaults({ configs, operatorConfig, utilsImage }: DefaultsInput): Plan {
  const plan = emptyPlan();
  const named = typeOf(scyllaOperatorConfigKind);
  if (!operatorConfig)
    plan.objects.push({
      owns: "whole",
      object: { ...named, spec: { scyllaUtilsImage: utilsImage } },
      because: "the default image with Scylla's scripts",
    });
  if (areDefaultsCreated(operatorConfig)) return plan;
  const hasDefault = configs.some(({ metadata }) => metadata.name === defaultName);
  if (!hasDefault)
    plan.objects.push({
      owns: "whole",
      object: {
        ...typeOf(scyllaNodeConfigKind),
        spec: { placement: { nodeSelector: { ...defaultNodeSelector } }, disableOptimizations: false },
      },
      because: "nodes with the default label are tuned",
    });
  else if (operatorConfig)
    plan.objects.push({
      owns: "fields",
      object: { ...named, metadata: { name: defaultName, annotations: { [defaultsAnnotation]: "true" } } },
      because: "the default ScyllaNodeConfig is created only once",
    });
  return plan;
}

function typeOf({ apiVersion, kind }: { apiVersion: string; kind: string }): {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
} {
  return { apiVersion, kind, metadata: { name: defaultName, labels: { "app.kubernetes.io/part-of": "attune" } } };
}

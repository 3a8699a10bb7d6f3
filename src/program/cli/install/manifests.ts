import { ownNodePolicies } from "../../agent/own-node-policies.ts";
import { agentRbac } from "../../agent/rbac.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { type Protocol, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorDeployment, operatorMetricsService } from "../../operator/deployment.ts";
import { operatorMonitoring } from "../../operator/monitoring.ts";
import { operatorRbac, systemNamespace } from "../../operator/rbac.ts";
import { performanceProfileCrds } from "../../../domain/performance-profile/crds.ts";
import { webhookDeployment, webhookName } from "../../webhook/deployment.ts";
import { performanceProfileConversion } from "../../webhook/performance-profile-handler.ts";
import { webhookRbac } from "../../webhook/rbac.ts";
import { definitionConversion, type Target } from "../../webhook/registration.ts";
import type { OperatorMode } from "../option/shared-flags.ts";
import { defaultImage } from "../version.ts";

export interface InstallOptions {
  /** Where Attune's own parts run. Default attune-system. */
  readonly namespace?: string;
  readonly image?: string;
  /** `standalone` brings the kinds of machine configuration. Default auto. */
  readonly mode?: OperatorMode;
  /** Default documented. */
  readonly protocol?: Protocol;
  readonly release?: string;
  /** Where API servers look for the webhook before it says so itself. Default: the Service in `namespace`. */
  readonly webhook?: Target;
  /** With what the Prometheus operator reads. Default false. */
  readonly monitoring?: boolean;
}

/** Everything that `attune install` prints, in the order in which it must be applied. */
export function installManifests(options: InstallOptions = {}): KubeObject[] {
  return [...foundation(options), ...parts(options)];
}

/** What must be there before Attune's parts run. Policies come before the rights that they limit. */
export function foundation(options: InstallOptions = {}): KubeObject[] {
  const { namespace = systemNamespace, mode = "auto", protocol = "documented" } = options;
  const { webhook = webhookService(namespace) } = options;
  return [
    namespaceObject(namespace, "restricted"),
    // Agents reach into their nodes.
    namespaceObject(tuningNamespace, "privileged"),
    ...definitions(mode, webhook),
    ...ownNodePolicies(tuningNamespace, protocol),
    ...operatorRbac(namespace),
    ...agentRbac(tuningNamespace, protocol),
    ...webhookRbac(namespace),
  ];
}

/** The kinds that Attune brings. Those of machine configuration are borrowed. */
export function definitions(mode: OperatorMode, webhook = webhookService(systemNamespace)): readonly KubeObject[] {
  return [
    ...nodeTuningCrds,
    ...performanceProfileCrds.map((crd) => converted(crd, webhook)),
    ...(mode === "standalone" ? machineConfigCrds : []),
  ];
}

/** Until the webhook runs, older versions are refused instead of being taken for what they are not. */
function converted(definition: KubeObject, webhook: Target): KubeObject {
  const { spec } = definitionConversion(performanceProfileConversion, webhook, "");
  return { ...definition, spec: { ...(definition["spec"] as object), ...(spec as object) } };
}

function webhookService(namespace: string): Target {
  return { type: "service", namespace, name: webhookName, port: 443 };
}

/** What runs. The agents are not among it: the operator makes them. */
function parts(options: InstallOptions): KubeObject[] {
  const { namespace = systemNamespace, image = defaultImage, mode = "auto", protocol = "documented" } = options;
  const { release, monitoring = false } = options;
  return [
    ...webhookDeployment(namespace, image),
    operatorMetricsService(namespace),
    operatorDeployment({ namespace, image, mode, protocol, ...(release === undefined ? {} : { release }) }),
    ...(monitoring ? operatorMonitoring(namespace) : []),
  ];
}

function namespaceObject(name: string, podSecurity: "privileged" | "restricted"): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: {
        "app.kubernetes.io/part-of": "attune",
        ...Object.fromEntries(
          ["enforce", "audit", "warn"].map((what) => [`pod-security.kubernetes.io/${what}`, podSecurity]),
        ),
      },
    },
  };
}

import { group, performanceProfileKind } from "../../domain/performance-profile/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { performanceProfileConversion } from "./performance-profile-handler.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const metadata = { name: "attune-converted-profiles", labels: { "app.kubernetes.io/part-of": "attune" } };

/**
 * Refuses profiles of older versions until the webhook has registered for their conversion: the API server would store
 * them unconverted. The manifest of the CRD cannot name the webhook, which registers by Service or by URL: the API allows
 * one of the two, and a second `kubectl apply` would set both.
 */
export const conversionPolicy: readonly KubeObject[] = [
  {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata,
    spec: {
      failurePolicy: "Fail",
      paramKind: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      // With all defaults: fields that the API server defaults would be removed and set again by every apply.
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [group],
            apiVersions: ["v1", "v1alpha1"],
            // A write of the status stores the whole object.
            resources: ["", "/status"].map((subresource) => performanceProfileKind.plural + subresource),
            operations: ["CREATE", "UPDATE"],
            scope: "*",
          },
        ],
        matchPolicy: "Exact",
        namespaceSelector: {},
        objectSelector: {},
      },
      validations: [
        {
          expression: "params.spec.conversion.strategy == 'Webhook'",
          message: `the webhook of Attune, which converts older versions, has not registered yet: retry, or use ${performanceProfileKind.apiVersion}`,
          reason: "Forbidden",
        },
      ],
    },
  },
  {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata,
    spec: {
      policyName: metadata.name,
      paramRef: { name: performanceProfileConversion.definition, parameterNotFoundAction: "Deny" },
      validationActions: ["Deny"],
    },
  },
];

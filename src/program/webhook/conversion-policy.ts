import { group, performanceProfileKind } from "../../domain/performance-profile/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { performanceProfileConversion } from "./performance-profile-handler.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const metadata = { name: "attune-converted-profiles", labels: { "app.kubernetes.io/part-of": "attune" } };

const isConverted = "params.spec.conversion.strategy == 'Webhook'";
/** In v2, what is written is what is stored, unless it was read unconverted. What is being deleted has nothing to lose. */
const losesNothing = [
  "request.operation == 'CREATE'",
  "has(object.metadata.deletionTimestamp)",
  "(has(params.status) && has(params.status.storedVersions) && params.status.storedVersions.all(v, v == 'v2'))",
].join(" || ");
const unregistered = "the webhook of Attune, which converts older versions, has not registered yet: retry";

/**
 * Refuses writes that would lose fields until the webhook has registered for conversion: of profiles in older versions,
 * which the API server would store unconverted, and of profiles that may be stored in an older version, which it reads
 * unconverted and would store so. The manifest of the CRD cannot name the webhook, which registers by Service or by URL:
 * the API allows one of the two, and a second `kubectl apply` would set both.
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
            apiVersions: ["v1", "v1alpha1", "v2"],
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
          expression: `request.resource.version == 'v2' || ${isConverted}`,
          message: `${unregistered}, or use ${performanceProfileKind.apiVersion}`,
          reason: "Forbidden",
        },
        {
          expression: `request.resource.version != 'v2' || ${isConverted} || ${losesNothing}`,
          message: `${unregistered}. The profile may be stored in an older version, and would lose fields`,
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

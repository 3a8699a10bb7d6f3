import { group, performanceProfileKind } from "../../domain/performance-profile/api.ts";
import { convertProfile } from "../../domain/performance-profile/conversion/conversion.ts";
import { conversionAnnotation } from "../../domain/performance-profile/conversion/conversion-data.ts";
import { type FieldFinding, formatFinding } from "../../domain/finding.ts";
import { findings } from "../../domain/performance-profile/findings.ts";
import { type ClusterObjects, surroundingsOf } from "../../domain/performance-profile/surroundings.ts";
import { withoutPools } from "../../domain/performance-profile/without-pools.ts";
import { newErrors } from "../../domain/performance-profile/ratchet.ts";
import { at, equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import {
  type AdmissionHandler,
  type AdmissionRequest,
  type AdmissionRule,
  type ConversionHandler,
  type Decision,
  shortWarning,
} from "./handler.ts";

const { kind, plural } = performanceProfileKind;

export const performanceProfileConversion: ConversionHandler = {
  definition: `${plural}.${group}`,
  convert: convertProfile,
};

export const profileRules: readonly AdmissionRule[] = [
  { apiGroups: [group], apiVersions: ["v2"], resources: [plural], operations: ["CREATE", "UPDATE"] },
];

/**
 * Refuses profiles that no node could follow, and warns about risky settings. Older versions are converted and checked as
 * v2. Writes succeed while the webhook is down: a new cluster gets its profile before it has a webhook, a cluster with a
 * single node loses the webhook with every restart, and profiles are checked again before objects are derived from them.
 */
export function performanceProfileHandler(cluster: { objects(): ClusterObjects | undefined }): AdmissionHandler {
  return {
    name: plural,
    type: "validating",
    rules: profileRules,
    entries: [{ failurePolicy: "Ignore" }],
    review: (request) => decide(request, cluster.objects()),
  };
}

function decide(request: AdmissionRequest, objects: ClusterObjects | undefined): Decision {
  const { object, oldObject, requestKind } = request;
  // Nothing is derived from a profile that is being deleted, and a refusal would block its finalizers.
  if (!object || object.metadata.deletionTimestamp) return { type: "allow" };
  const around = objects && surroundingsOf(object, objects);
  const check = (profile: KubeObject): readonly FieldFinding[] =>
    findings(profile, objects && !selectSameNodes(profile, object) ? surroundingsOf(profile, objects) : around);
  const found = check(object);
  const errors = found.filter(({ severity }) => severity === "error");
  const refused =
    oldObject && errors.length > 0
      ? newErrors({
          before: { profile: oldObject, findings: check(oldObject) },
          after: { profile: object, findings: errors },
        })
      : errors;
  const warnings = [
    ...found.filter((one) => !refused.includes(one)).map((one) => shortWarning(formatFinding(one))),
    // Before the caches have synced, pools are not known to be missing.
    ...(objects && !objects.pools ? [shortWarning(withoutPools)] : []),
  ];
  if (refused.length === 0) return { type: "allow", warnings };
  const asked = requestKind?.version ?? "v2";
  const hint = `checked as v2: fields that ${asked} lacks come from the annotation ${conversionAnnotation}`;
  return {
    ...denial(object.metadata.name ?? request.name ?? "", refused),
    warnings: asked === "v2" ? warnings : [...warnings, hint],
  };
}

/** Whether they select the same nodes, and so meet the same objects in the cluster. */
function selectSameNodes(one: KubeObject, other: KubeObject): boolean {
  return equal(at(one, "spec", "nodeSelector"), at(other, "spec", "nodeSelector"));
}

function denial(name: string, refused: readonly FieldFinding[]): Decision & { type: "deny" } {
  const [first, ...others] = refused.map(formatFinding);
  return {
    type: "deny",
    code: 422,
    reason: "Invalid",
    message: `${kind}.${group} ${JSON.stringify(name)} is invalid: ${others.length === 0 ? first : `[${[first, ...others].join(", ")}]`}`,
    details: {
      name,
      group,
      kind,
      causes: refused.map(({ reason, field, message }) => ({ reason, field, message })),
    },
  };
}

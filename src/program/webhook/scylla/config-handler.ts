import { group, scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../../domain/scylla/api.ts";
import { configFindings } from "../../../domain/scylla/config/findings.ts";
import { formatFinding } from "../../../domain/finding.ts";
import { type AdmissionHandler, type AdmissionRule, shortWarning } from "../handler.ts";

export const scyllaConfigRules: readonly AdmissionRule[] = [
  {
    apiGroups: [group],
    apiVersions: ["v1alpha1"],
    resources: [scyllaNodeConfigKind.plural, scyllaOperatorConfigKind.plural],
    operations: ["CREATE", "UPDATE"],
  },
];

/** API servers drop the warnings of a response beyond 4,096 characters. */
const mostWarnings = 15;

/** Warns about what the operator would report in conditions. It refuses nothing, so writes need not wait for the webhook. */
export const scyllaConfigHandler: AdmissionHandler = {
  name: "scyllaconfigs",
  type: "validating",
  rules: scyllaConfigRules,
  entries: [{ failurePolicy: "Ignore" }],
  timeoutSeconds: 5,
  review({ object }) {
    if (!object || object.metadata.deletionTimestamp) return { type: "allow" };
    const found = configFindings(object).map((finding) => shortWarning(formatFinding(finding)));
    const more = found.length - mostWarnings;
    return { type: "allow", warnings: more > 0 ? [...found.slice(0, mostWarnings), `and ${more} more`] : found };
  },
};

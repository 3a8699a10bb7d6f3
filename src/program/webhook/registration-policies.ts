import { accountPolicy } from "../../language/object/account-policy.ts";
import { scyllaPodLabels } from "../../domain/scylla/scylla-pod.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { tunedRules } from "./attune-handlers.ts";
import type { MatchCondition } from "./handler.ts";
import { profileRules } from "./performance-profile-handler.ts";
import { asksForPartitioning, asksForSharedCpus, changesInstructions } from "./partitioning/pod-conditions.ts";
import { scyllaConfigRules } from "./scylla/config-handler.ts";
import { webhookServiceAccount } from "./rbac.ts";

/** `group/resource` of the kinds that the webhook reviews whole, and never changes: their authors are root on nodes. */
const reviewed = [...tunedRules, ...profileRules, ...scyllaConfigRules].flatMap(({ apiGroups, resources }) =>
  apiGroups.flatMap((group) => resources.map((resource) => `'${group}/${resource}'`)),
);

const rules = "(has(w.rules) ? w.rules : [])";
const isFor = (...names: string[]): string =>
  `${rules}.all(r, r.apiGroups.all(g, r.resources.all(x, (g + '/' + x) in [${names.join(", ")}])))`;
const has = ({ expression }: MatchCondition): string =>
  `w.?matchConditions.orValue([]).exists(c, c.expression == ${JSON.stringify(expression)})`;

/** Every pair must be there: a selector of fewer labels matches more pods. */
const isDatabases = Object.entries(scyllaPodLabels)
  .map(
    ([key, value]) =>
      `w.objectSelector.matchLabels.exists(k, k == '${key}' && w.objectSelector.matchLabels[k] == '${value}')`,
  )
  .join(" && ");

const onlyReviews = "request.resource.resource == 'validatingwebhookconfigurations'";

/**
 * Pods only with the conditions under which they are sent, since their environment may hold secrets; nodes only so that no
 * write of a node waits for the webhook.
 */
const ownEntries = [
  `(${isFor(...reviewed)} && ${onlyReviews})`,
  `(${isFor("'/pods'", "'/pods/resize'")} && (${[asksForPartitioning, asksForSharedCpus, changesInstructions].map(has).join(" || ")}))`,
  `(${isFor("'/pods'")} && has(w.objectSelector) && has(w.objectSelector.matchLabels) && ${isDatabases})`,
  `(${isFor("'/nodes'")} && w.failurePolicy == 'Ignore' && ${onlyReviews})`,
].join(" || ");

const unchanged = (...fields: string[]): string =>
  fields.map((field) => `object.${field} == oldObject.${field}`).join(" && ");

/** An owner that does not exist would let the garbage collector delete the object. */
const keepsOwners = ["metadata.?ownerReferences", "metadata.?finalizers"];

/**
 * Restrict the webhook to its registration: with rules for all kinds, a stolen token could have the API server send it every
 * Secret that is written. RBAC cannot, since roles name no fields. Addresses are free: a lab registers by URL.
 */
export function registrationPolicies(namespace: string): KubeObject[] {
  const account = { namespace, name: webhookServiceAccount };
  const configurations = accountPolicy("attune-webhook-own-rules", {
    account,
    rule: {
      apiGroups: ["admissionregistration.k8s.io"],
      apiVersions: ["*"],
      resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
    },
    validations: [
      {
        expression: [
          "request.operation == 'UPDATE'",
          unchanged(...keepsOwners),
          `(has(object.webhooks) ? object.webhooks : []).all(w, ${ownEntries})`,
        ].join(" && "),
        message:
          "the webhook of Attune may register only for Tuneds, PerformanceProfiles, Scylla's configs, pods that ask for partitioning, pods of Scylla databases and nodes",
        reason: "Forbidden",
      },
    ],
  });
  const definitions = accountPolicy("attune-webhook-own-conversion", {
    account,
    rule: {
      apiGroups: ["apiextensions.k8s.io"],
      apiVersions: ["*"],
      resources: ["customresourcedefinitions", "customresourcedefinitions/*"],
    },
    validations: [
      {
        expression: `request.operation == 'UPDATE' && ${unchanged(
          ...keepsOwners,
          ...["group", "names", "scope", "versions", "?preserveUnknownFields"].map((field) => `spec.${field}`),
        )}`,
        message: "the webhook of Attune may change only the conversion of a CustomResourceDefinition",
        reason: "Forbidden",
      },
    ],
  });
  return [...configurations, ...definitions];
}

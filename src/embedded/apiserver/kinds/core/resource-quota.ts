import type { ResourceQuota } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { equal } from "../../../../language/object/json.ts";
import { qualifiedName } from "../../../../language/object/names.ts";
import { type FieldError, immutable, invalid, notSupported } from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { notNegative, type ResourceAmounts } from "../resource-list.ts";

const scopes = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
];

/** `pods: 1/5, secrets: 0/2`: used and allowed amounts of the resources that `shown` picks. */
const amounts = (name: string, shown: (resource: string) => boolean) =>
  stringColumn(name, (object) => {
    const { hard = {}, used = {} } = (object as ResourceQuota).status ?? {};
    const names = Object.keys(hard).filter(shown).toSorted();
    return names.map((resource) => `${resource}: ${used[resource] ?? 0}/${hard[resource]}`).join(", ");
  });

const isLimit = (resource: string): boolean => resource.startsWith("limits.");

export const resourceQuota = defineKind({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  shortNames: ["quota"],
  namespaced: true,
  columns: [nameColumn, amounts("Request", (resource) => !isLimit(resource)), amounts("Limit", isLimit), ageColumn],
  strategy: {
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate,
    validateUpdate: (object, old) => {
      const { scopes: now } = specOf(object);
      return equal(now ?? [], specOf(old).scopes ?? []) ? [] : [immutable("spec.scopes", now)];
    },
    ignoredFields: ["status"],
    returnDeleted: true,
  },
  subresources: {
    status: {
      type: "status",
      validateUpdate: ({ status }) =>
        (["hard", "used"] as const).flatMap((part) =>
          validateAmounts((status as ResourceQuota["status"])?.[part], `status.${part}`),
        ),
    },
  },
});

const specOf = (object: KubeObject): NonNullable<ResourceQuota["spec"]> => (object as ResourceQuota).spec ?? {};

function validate(object: KubeObject): FieldError[] {
  const { hard, scopes: asked = [], scopeSelector } = specOf(object);
  const named = (scopeSelector?.matchExpressions ?? []).map(({ scopeName }) => scopeName);
  return [
    ...validateAmounts(hard, "spec.hard"),
    ...asked.filter((scope) => !scopes.includes(scope)).map(() => invalid("spec.scopes", asked, "unsupported scope")),
    ...named
      .filter((scope) => !scopes.includes(scope))
      .map((scope) => notSupported("spec.scopeSelector.matchExpressions.scopeName", scope, scopes)),
  ];
}

function validateAmounts(amountsOf: ResourceAmounts | undefined, at: string): FieldError[] {
  return Object.entries(amountsOf ?? {}).flatMap(([name, text]) => [
    ...qualifiedName(name).map((reason) => invalid(`${at}[${name}]`, name, reason)),
    ...notNegative(text, `${at}[${name}]`),
  ]);
}

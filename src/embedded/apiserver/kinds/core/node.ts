import { isIP } from "node:net";
import { counted } from "../../../../language/schema/collect-errors.ts";
import type { Node, NodeSpec, Taint } from "kubernetes-types/core/v1.js";
import { clone, equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { labelValue, qualifiedName } from "../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { defineKind } from "../define-kind.ts";
import { nodeColumns } from "./node-columns.ts";
import { notNegative } from "../resource-list.ts";
import { taintEffects } from "../tolerations.ts";

const specOf = (object: KubeObject): NodeSpec => ((object as Node).spec ??= {});

export const node = defineKind({
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  shortNames: ["no"],
  namespaced: false,
  selectableFields: { "spec.unschedulable": (object) => String((object as Node).spec?.unschedulable ?? false) },
  columns: nodeColumns,
  strategy: {
    defaults,
    // The status is kept: a kubelet registers its node with it. configSource is no longer supported.
    prepareForCreate: (object) => {
      delete specOf(object).configSource;
    },
    // As the admission plugin TaintNodesByCondition: nothing is scheduled before the node is Ready.
    admitCreate: (object) => {
      const spec = specOf(object);
      const taints = spec.taints ?? [];
      if (!taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect))
        spec.taints = [...taints, { ...notReady }];
    },
    validate,
    validateUpdate,
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status", validateUpdate: (object) => validateStatus(object) } },
});

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const satisfies Taint;

function defaults(object: KubeObject): void {
  const status = (object as Node).status;
  if (status?.capacity && !status.allocatable) status.allocatable = clone(status.capacity);
  const spec = specOf(object);
  if (spec.podCIDR && !spec.podCIDRs) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
}

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  return [
    // kube-apiserver reports faults of taints under their former field.
    ...validateTaints(spec.taints ?? [], "metadata.taints"),
    ...validateStatus(object),
    ...(spec.podCIDRs ?? []).flatMap((range, index) =>
      isRange(range)
        ? []
        : [
            invalid(
              `spec.podCIDRs[${index}]`,
              range,
              "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ),
          ],
    ),
  ];
}

function isRange(text: string): boolean {
  const slash = text.indexOf("/");
  const family = isIP(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  return slash > 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function validateTaints(taints: readonly Taint[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { key, value = "", effect, timeAdded = null }] of taints.entries()) {
    const field = `${at}[${index}]`;
    for (const reason of qualifiedName(key)) errors.push(invalid(`${field}.key`, key, reason));
    for (const reason of labelValue(value)) errors.push(invalid(`${field}.value`, value, reason));
    if (!effect) errors.push(required(`${field}.effect`));
    else if (!taintEffects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, taintEffects));
    const identity = `${key}:${effect}`;
    if (seen.has(identity))
      errors.push(
        counted({
          reason: "FieldValueDuplicate",
          field,
          message: `Duplicate value: ${JSON.stringify({ Key: key, Value: value, Effect: effect, TimeAdded: timeAdded })}: taints must be unique by key and effect pair`,
        }),
      );
    seen.add(identity);
  }
  return errors;
}

function validateStatus(object: KubeObject): FieldError[] {
  const { capacity = {}, allocatable = {} } = (object as Node).status ?? {};
  const check = (amounts: Readonly<Record<string, string>>, field: string): FieldError[] =>
    Object.entries(amounts).flatMap(([name, text]) => notNegative(text, `status.${field}.${name}`));
  return [...check(capacity, "capacity"), ...check(allocatable, "allocatable")];
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = specOf(object);
  const before = (old as Node).spec ?? {};
  const errors: FieldError[] = [];
  if ((before.podCIDRs ?? []).length > 0 && !equal(before.podCIDRs, spec.podCIDRs))
    errors.push(forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  if (before.providerID && before.providerID !== spec.providerID)
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  if ((before.externalID ?? "") !== (spec.externalID ?? ""))
    errors.push(forbidden("spec.externalID", "may not be updated"));
  return errors;
}

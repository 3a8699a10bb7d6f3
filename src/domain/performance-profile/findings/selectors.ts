import { equal } from "../../../language/object/json.ts";
import { labelValue, qualifiedName } from "../../../language/object/names.ts";
import { duplicate, type FieldError, invalid, tooMany } from "../../../language/schema/field-error.ts";
import { child, key } from "../../../language/schema/path.ts";
import type { PerformanceProfileSpec } from "../api.ts";
import type { MachineConfigPool } from "../../machine-config/api.ts";
import { selects } from "../pools.ts";
import type { OtherProfile } from "../surroundings.ts";
import { advice, type Check } from "./check.ts";
import type { Surrounded } from "./judged.ts";
import { namely } from "./naming.ts";

/** Fields with one label, and what an empty one means. */
const selectors = {
  nodeSelector: "it matches no node and no pool",
  machineConfigLabel: "no pool selects the MachineConfig",
  machineConfigPoolSelector: "the KubeletConfig is for no pool",
} as const;

export const severalLabels: Check = {
  name: "SeveralLabels",
  severity: "error",
  faults: ({ spec }) =>
    given(spec).flatMap(({ field, labels }) => {
      const count = Object.keys(labels).length;
      return count > 1 ? [tooMany(field, count, 1)] : [];
    }),
};

export const selectorEmpty: Check = {
  name: "SelectorEmpty",
  severity: "warning",
  faults: ({ spec }) =>
    given(spec).flatMap(({ field, labels, otherwise }) =>
      Object.keys(labels).length === 0 ? [advice(field, `without a label ${otherwise}: give one`)] : [],
    ),
};

export const labelMalformed: Check = {
  name: "LabelMalformed",
  severity: "error",
  faults: ({ spec }) =>
    given(spec).flatMap(({ field, labels }) =>
      Object.entries(labels).flatMap(([name, value]): FieldError[] => [
        ...qualifiedName(name).map((reason) => invalid(field, name, reason)),
        ...labelValue(value).map((reason) => invalid(key(field, name), value, reason)),
      ]),
    ),
};

export const nodeSelectorTaken: Check<Surrounded> = {
  name: "NodeSelectorTaken",
  severity: "error",
  faults: ({ name, spec, surroundings }) =>
    surroundings.otherProfiles
      .filter((other) => other.name !== name && equal(other.nodeSelector, spec.nodeSelector))
      .map((other) => {
        const fault = duplicate("spec.nodeSelector", spec.nodeSelector);
        return {
          ...fault,
          message: `${fault.message}: the profile ${other.name} is for the same nodes; keep one of them`,
        };
      }),
};

/**
 * Two profiles with different selectors meet where a pool selects the labels of both, or a node has them. A warning, as the
 * pool or the node may be what is wrong; until then the operator derives nothing from the younger of them.
 */
export const profilesMeet: Check<Surrounded> = {
  name: "ProfilesMeet",
  severity: "warning",
  faults: ({ name, spec, surroundings, pool }) =>
    surroundings.otherProfiles
      .filter((other) => other.name !== name && !equal(other.nodeSelector, spec.nodeSelector))
      .flatMap((other) => {
        const where = meetingPlace(other, pool?.type === "pool" ? pool.pool : undefined);
        if (where === undefined) return [];
        const both = `PerformanceProfiles ${other.name} and ${name} both configure ${where}`;
        return [advice("spec.nodeSelector", `${both}: the younger takes no effect until they are for different pools`)];
      }),
};

function meetingPlace(
  { nodeSelector, sharedNodes }: OtherProfile,
  pool: MachineConfigPool | undefined,
): string | undefined {
  if (pool && selects(pool.spec?.nodeSelector, nodeSelector)) return `MachineConfigPool ${pool.metadata.name}`;
  return sharedNodes && `${sharedNodes.length === 1 ? "node" : "nodes"} ${namely(sharedNodes)}`;
}

interface Given {
  readonly field: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly otherwise: string;
}

function given(spec: PerformanceProfileSpec): Given[] {
  return (Object.keys(selectors) as (keyof typeof selectors)[]).flatMap((name) => {
    const labels = spec[name];
    return labels ? [{ field: child("spec", name), labels, otherwise: selectors[name] }] : [];
  });
}

import type { MachineConfigPool } from "../../machine-config/api.ts";
import { selects } from "../pools.ts";
import { readSelectors } from "../read/read-selectors.ts";
import { advice, type Check } from "./check.ts";
import type { Surrounded } from "./judged.ts";
import { namely } from "./naming.ts";

export const poolNotFound: Check<Surrounded> = {
  name: "PoolNotFound",
  severity: "warning",
  faults: ({ pool }) =>
    pool?.type === "none"
      ? [
          advice(
            "spec.nodeSelector",
            "matches no MachineConfigPool: nothing is created until a pool selects these nodes",
          ),
        ]
      : [],
};

export const poolAmbiguous: Check<Surrounded> = {
  name: "PoolAmbiguous",
  severity: "warning",
  faults: ({ pool }) =>
    pool?.type === "several"
      ? [
          advice(
            "spec.nodeSelector",
            `matches several MachineConfigPools, ${namely(pool.names)}: nothing is created until one is left`,
          ),
        ]
      : [],
};

export const poolNotSelected: Check<Surrounded> = {
  name: "PoolNotSelected",
  severity: "warning",
  faults: (judged) => {
    const pool = onlyPool(judged);
    const wanted = judged.spec.machineConfigPoolSelector;
    if (!pool || !wanted || selects({ matchLabels: wanted }, pool.metadata.labels ?? {})) return [];
    return [
      advice(
        "spec.machineConfigPoolSelector",
        `does not select the MachineConfigPool ${pool.metadata.name} that nodeSelector matches: its nodes get no kubelet configuration`,
      ),
    ];
  },
};

export const machineConfigNotSelected: Check<Surrounded> = {
  name: "MachineConfigNotSelected",
  severity: "warning",
  faults: (judged) => {
    const pool = onlyPool(judged);
    const labels = readSelectors(judged.spec, () => {}).machineConfigLabels;
    if (!pool || selects(pool.spec?.machineConfigSelector, labels)) return [];
    const given = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    return [
      advice(
        judged.spec.machineConfigLabel ? "spec.machineConfigLabel" : "spec.nodeSelector",
        `the MachineConfigPool ${pool.metadata.name} selects no MachineConfig ${given.length > 0 ? `labelled ${given.join(",")}` : "without labels"}: give machineConfigLabel what its machineConfigSelector asks for`,
      ),
    ];
  },
};

function onlyPool({ pool }: Surrounded): MachineConfigPool | undefined {
  return pool?.type === "pool" ? pool.pool : undefined;
}

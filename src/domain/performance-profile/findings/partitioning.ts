import { pinningPaths } from "../../workload-partitioning/pinning-files.ts";
import { derivedNames } from "../names.ts";
import type { ForeignWorkloads } from "../surroundings.ts";
import { advice, type Check } from "./check.ts";
import type { Surrounded } from "./judged.ts";

/** CRI-O reads drop-ins in the order of their names, and the last one with a table replaces it as a whole. */
export const foreignWorkloadsTable: Check<Surrounded> = {
  name: "ForeignWorkloadsTable",
  severity: "warning",
  faults: ({ name, surroundings }) =>
    surroundings.partitioning === "AllNodes"
      ? surroundings.foreignWorkloads.map((foreign) =>
          advice(
            "spec.cpu.reserved",
            `the MachineConfig ${foreign.machineConfig} has the file ${foreign.path} with its own CRI-O workloads table, which ${
              winsOver(foreign, name)
                ? "may override the one for the reserved CPUs"
                : "is overridden by the one for the reserved CPUs"
            }: remove that file`,
          ),
        )
      : [],
};

/** All pods of the platform on the node share the reserved CPUs with the kubelet and CRI-O. */
export const reservedTooSmall: Check<Surrounded> = {
  name: "ReservedTooSmall",
  severity: "warning",
  faults: ({ pools, surroundings }) => {
    const reserved = pools.find(({ name }) => name === "reserved");
    if (surroundings.partitioning !== "AllNodes" || reserved?.cpus.length !== 1) return [];
    const { text } = reserved;
    return [
      advice(
        "spec.cpu.reserved",
        `all pods of the platform on a node share CPU ${text}, since the cluster is partitioned: reserve at least 2 CPUs, on control plane nodes 4`,
      ),
    ];
  },
};

function winsOver({ machineConfig, path }: ForeignWorkloads, profile: string): boolean {
  const ours = pinningPaths.crio;
  return path === ours ? machineConfig > derivedNames(profile).machineConfig : basename(path) > basename(ours);
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

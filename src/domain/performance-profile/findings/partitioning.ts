import { pinningPaths } from "../../workload-partitioning/pinning-files.ts";
import { derivedNames } from "../names.ts";
import type { ForeignWorkloads } from "../surroundings.ts";
import { advice, type Check } from "./check.ts";
import type { Surrounded } from "./judged.ts";

/** CRI-O reads drop-ins by name and takes a table as a whole from the last that has it. */
export const foreignWorkloadsTable: Check<Surrounded> = {
  name: "ForeignWorkloadsTable",
  severity: "warning",
  faults: ({ name, surroundings }) =>
    surroundings.partitioning === "AllNodes"
      ? surroundings.foreignWorkloads.map((foreign) =>
          advice(
            "spec.cpu.reserved",
            `the MachineConfig ${foreign.machineConfig} brings ${foreign.path} with a CRI-O workloads table of its own, which ${
              winsOver(foreign, name)
                ? "may win over the one for the reserved CPUs"
                : "loses to the one for the reserved CPUs"
            }: remove that file`,
          ),
        )
      : [],
};

function winsOver({ machineConfig, path }: ForeignWorkloads, profile: string): boolean {
  const ours = pinningPaths.crio;
  return path === ours ? machineConfig > derivedNames(profile).machineConfig : basename(path) > basename(ours);
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

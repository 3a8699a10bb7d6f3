import { ignitionConfig } from "../../../language/ignition/config.ts";
import { apiVersion, type MachineConfig } from "../../machine-config/api.ts";
import type { DerivationInput } from "../derivation.ts";
import { derivedNames } from "../names.ts";
import { profileFiles } from "./files.ts";
import { profileUnits } from "./units.ts";

/** Kernel type, files and units of a profile's nodes. Kernel arguments come from TuneD, which knows the hardware. */
export function machineConfigOf(input: DerivationInput): MachineConfig {
  const { name, machineConfigLabels, kernelType } = input.facts;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: derivedNames(name).machineConfig, labels: { ...machineConfigLabels } },
    spec: { kernelType, config: ignitionConfig(profileFiles(input), profileUnits(input)) },
  };
}

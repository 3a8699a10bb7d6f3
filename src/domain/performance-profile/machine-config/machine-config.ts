import { ignitionConfig } from "../../../language/ignition/config.ts";
import { apiVersion, type MachineConfig } from "../../machine-config/api.ts";
import type { DerivationInput } from "../derivation.ts";
import { derivedNames } from "../names.ts";
import { profileFiles } from "./files.ts";
import { profileUnits } from "./units.ts";

/** What a profile's nodes boot with, but for kernel arguments: those come from TuneD, which knows the machine. */
export function machineConfigOf(input: DerivationInput): MachineConfig {
  const { name, machineConfigLabels, kernelType } = input.facts;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: derivedNames(name).machineConfig, labels: { ...machineConfigLabels } },
    spec: { kernelType, config: ignitionConfig(profileFiles(input), profileUnits(input)) },
  };
}

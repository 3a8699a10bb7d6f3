import type { KubeletConfig, MachineConfig } from "../../../domain/machine-config/api.ts";
import { filesOf, unitsOf } from "../../../language/ignition/config.ts";

/** The file that a kubelet reads. */
export function kubeletConfigurationOf({ spec }: KubeletConfig): object {
  return spec?.kubeletConfig as object;
}

/** What remains for the administrator of nodes that belong to no MachineConfigPool. */
export function leftByHand(kubeletFile: string, { spec }: MachineConfig): string[] {
  const { kernelType = "default", config } = spec ?? {};
  const names = (title: string, list: readonly string[]): string[] =>
    list.length > 0 ? [`${title} ${list.join(", ")}`] : [];
  const left = [
    ...names("the kernel", kernelType === "default" ? [] : [kernelType]),
    ...names(
      "files",
      filesOf(config).map(({ path }) => path),
    ),
    ...names(
      "units",
      unitsOf(config).map(({ name }) => name),
    ),
  ];
  return [
    `set what ${kubeletFile} has on the kubelets of these nodes, as a drop-in of --config-dir or in their --config file, and restart them`,
    ...(left.length > 0 ? [`not set without MachineConfigPools: ${left.join("; ")}`] : []),
  ];
}

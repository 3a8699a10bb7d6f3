/** What the author of a profile must know on a cluster without MachineConfigPools. */
export const withoutPools =
  "the cluster has no MachineConfigPools: only a Tuned is derived; files, units, kubelets and container runtimes of nodes stay as they are, and boot arguments take effect when a node restarts";

export type ScriptName =
  | "hugepages-allocation"
  | "set-rps-mask"
  | "set-cpus-offline"
  | "clear-irqbalance-banned-cpus"
  | "cpuset-configure"
  | "ovs-dpdk-cpus-configure";

/** Where a script is on nodes: files put it there, and units start it. */
export function scriptPath(name: ScriptName): string {
  return `/usr/local/bin/${name}.sh`;
}

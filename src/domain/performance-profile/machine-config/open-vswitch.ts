import { assignment, unitText, type UnitOption } from "../../../language/ignition/unit-text.ts";
import type { CpuPool } from "../profile-facts.ts";

/** The slice of Open vSwitch, so that its CPUs differ from those of the system. */
export const ovsSlice = "ovs.slice";

export function ovsSliceText(): string {
  return unitText([
    ["Unit", [["Description", "Open vSwitch, on CPUs of its own choice"]]],
    ["Slice", []],
  ]);
}

/** The drop-in that moves a service of Open vSwitch into the slice. */
export function useSlicePath(service: string): string {
  return `/etc/systemd/system/${service}.service.d/01-use-ovs-slice.conf`;
}

export function useSliceText(...more: readonly UnitOption[]): string {
  return unitText([["Service", [["Slice", ovsSlice], ...more]]]);
}

/** The switch moves its poll-mode threads into a cgroup below its own, for which systemd must delegate that cgroup. */
export function ovsDpdkOptions(ovsDpdk: CpuPool): readonly UnitOption[] {
  return [
    ["Delegate", "cpuset cpu pids"],
    ["Environment", assignment("OVS_DPDK_CPUS", ovsDpdk.text)],
  ];
}

/** OVN checks that the file exists and is not empty. */
export const dynamicAffinity = {
  path: "/var/lib/ovn-ic/etc/enable_dynamic_cpu_affinity",
  text: "# While this file is not empty, Open vSwitch follows the CPUs that are free, instead of staying on the reserved ones.\n",
};

import { formatHexMask } from "../../../language/cpu/cpu-mask.ts";
import { formatUnpacked } from "../../../language/cpu/cpu-set.ts";
import type { IgnitionUnit } from "../../../language/ignition/config.ts";
import { assignment, type UnitOption, type UnitSection, unitText } from "../../../language/ignition/unit-text.ts";
import type { DerivationInput } from "../derivation.ts";
import type { CpuPool, HugePages } from "../profile-facts.ts";
import { oneShotUnit } from "./one-shot.ts";
import { updateRpsUnit } from "./rps.ts";

/** The units of a profile's nodes; most run a script. */
export function profileUnits({ facts }: DerivationInput): readonly IgnitionUnit[] {
  const { cpus, rps, hugepages } = facts;
  return [
    rps === "virtual" && updateRps,
    ...hugepages.pages.map((pages) => pages.node !== undefined && hugepagesAllocation(pages, pages.node)),
    cpusetConfigure,
    cpus.offlined && setCpusOffline(cpus.offlined),
    clearIrqbalanceBannedCpus(cpus.ovsDpdk),
    oneShotUnit,
    cpus.ovsDpdk && ovsDpdkCpusConfigure,
  ].filter((unit) => typeof unit === "object");
}

const beforeKubelet: UnitOption = ["Before", "kubelet.service"];
const once: UnitOption = ["Type", "oneshot"];
/** The unit stays active after it has run, so that a dependent unit does not run it again. */
const staysDone: UnitOption = ["RemainAfterExit", "true"];
const atBoot: UnitSection = ["Install", [["WantedBy", "multi-user.target"]]];

function enabled(name: string, sections: readonly UnitSection[]): IgnitionUnit {
  return { name, enabled: true, contents: unitText(sections) };
}

/** Started by a udev rule, with the device's path as its instance. */
const updateRps: IgnitionUnit = {
  name: updateRpsUnit,
  contents: unitText([
    ["Unit", [["Description", "Lets the card steer packets of %I itself"]]],
    ["Service", [once, ["ExecStart", `${scriptPath("set-rps-mask")} %I 0`]]],
  ]),
};

function hugepagesAllocation({ sizeKiB, count }: HugePages, node: number): IgnitionUnit {
  return enabled(`hugepages-allocation-${sizeKiB}kB-NUMA${node}.service`, [
    ["Unit", [["Description", `Huge pages of ${sizeKiB} KiB on NUMA node ${node}`], beforeKubelet]],
    [
      "Service",
      [
        ["Environment", assignment("HUGEPAGES_COUNT", `${count}`)],
        ["Environment", assignment("HUGEPAGES_SIZE", `${sizeKiB}`)],
        ["Environment", assignment("NUMA_NODE", `${node}`)],
        once,
        staysDone,
        ["ExecStart", scriptPath("hugepages-allocation")],
      ],
    ],
    atBoot,
  ]);
}

const cpusetConfigure = enabled("cpuset-configure.service", [
  ["Unit", [["Description", "CPUs of the system's control groups"], beforeKubelet, ["After", "crio.service"]]],
  ["Service", [once, ["ExecStart", scriptPath("cpuset-configure")]]],
  ["Install", [["WantedBy", "multi-user.target crio.service"]]],
]);

export const offlineService = "set-cpus-offline.service";
/** In the environment of that service. */
export const offlineVariable = "OFFLINE_CPUS";

function setCpusOffline({ cpus }: CpuPool): IgnitionUnit {
  const list = formatUnpacked(cpus);
  return enabled(offlineService, [
    ["Unit", [["Description", `Switches off CPUs: ${list}`], beforeKubelet]],
    [
      "Service",
      [
        ["Environment", assignment(offlineVariable, list)],
        once,
        staysDone,
        ["ExecStart", scriptPath("set-cpus-offline")],
      ],
    ],
    atBoot,
  ]);
}

function clearIrqbalanceBannedCpus(ovsDpdk: CpuPool | undefined): IgnitionUnit {
  return enabled("clear-irqbalance-banned-cpus.service", [
    [
      "Unit",
      [
        ["Description", "Lets irqbalance use CPUs that were banned before the node restarted"],
        beforeKubelet,
        ["Before", "irqbalance.service"],
      ],
    ],
    [
      "Service",
      [
        once,
        staysDone,
        ["ExecStart", scriptPath("clear-irqbalance-banned-cpus")],
        ...(ovsDpdk
          ? [["Environment", assignment("OVS_DPDK_CPUS", formatHexMask(ovsDpdk.cpus))] satisfies UnitOption]
          : []),
      ],
    ],
    atBoot,
  ]);
}

const ovsDpdkCpusConfigure = enabled("ovs-dpdk-cpus-configure.service", [
  [
    "Unit",
    [
      ["Description", "CPUs of OVS-DPDK"],
      ["Requires", "ovs-vswitchd.service"],
      ["After", "ovs-vswitchd.service"],
      beforeKubelet,
    ],
  ],
  ["Service", [once, staysDone, ["ExecStart", scriptPath("ovs-dpdk-cpus-configure")]]],
  atBoot,
]);

export type ScriptName =
  | "hugepages-allocation"
  | "set-rps-mask"
  | "set-cpus-offline"
  | "clear-irqbalance-banned-cpus"
  | "cpuset-configure"
  | "ovs-dpdk-cpus-configure";

/** The path of a script on nodes. */
export function scriptPath(name: ScriptName): string {
  return `/usr/local/bin/${name}.sh`;
}

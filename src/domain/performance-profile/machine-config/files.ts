import type { IgnitionFile } from "../../../language/ignition/config.ts";
import { textFile } from "../../../language/ignition/file-contents.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "../../workload-partitioning/pinning-files.ts";
import { type DerivationInput, mixesCpus } from "../derivation.ts";
import { crioRuntimes, runtimesPath } from "./crio-runtimes.ts";
import { dynamicAffinity, ovsDpdkOptions, ovsSlice, ovsSliceText, useSlicePath, useSliceText } from "./open-vswitch.ts";
import { defaultRpsMask, physicalRpsRules } from "./rps.ts";
import { type ScriptName, scriptPath } from "./units.ts";
import { clearIrqbalanceBannedCpus } from "./scripts/clear-irqbalance-banned-cpus.ts";
import { cpusetConfigure } from "./scripts/cpuset-configure.ts";
import { hugepagesAllocation } from "./scripts/hugepages-allocation.ts";
import { ovsDpdkCpusConfigure } from "./scripts/ovs-dpdk-cpus-configure.ts";
import { setCpusOffline } from "./scripts/set-cpus-offline.ts";
import { setRpsMask } from "./scripts/set-rps-mask.ts";
import { unitText } from "../../../language/ignition/unit-text.ts";

/** The files of a profile's nodes. Another order would change the MachineConfig and restart nodes. */
export function profileFiles(input: DerivationInput): readonly IgnitionFile[] {
  const { cpus, rps, ovsDpdkPartition } = input.facts;
  const { reserved, ovsDpdk } = cpus;
  const steersPackets = rps !== "none";
  const isPartitioned = input.partitioning === "AllNodes";
  return [
    script("hugepages-allocation", hugepagesAllocation),
    steersPackets && script("set-rps-mask", setRpsMask),
    script("set-cpus-offline", setCpusOffline),
    script("clear-irqbalance-banned-cpus", clearIrqbalanceBannedCpus),
    text(runtimesPath, crioRuntimes(input)),
    steersPackets && text("/etc/sysctl.d/99-default-rps-mask.conf", defaultRpsMask(reserved.cpus)),
    rps === "virtual" && text("/etc/udev/rules.d/99-netdev-physical-rps.rules", physicalRpsRules),
    isPartitioned && text(pinningPaths.crio, crioPinning(reserved.text)),
    isPartitioned && text(pinningPaths.kubelet, kubeletPinning(reserved.text)),
    script("cpuset-configure", cpusetConfigure),
    text(`/etc/systemd/system/${ovsSlice}`, ovsSliceText()),
    text(useSlicePath("openvswitch"), useSliceText()),
    text(useSlicePath("ovsdb-server"), useSliceText()),
    text(useSlicePath("ovs-vswitchd"), useSliceText(...(ovsDpdk ? ovsDpdkOptions(ovsDpdk) : []))),
    text(dynamicAffinity.path, dynamicAffinity.text),
    ovsDpdk && script("ovs-dpdk-cpus-configure", ovsDpdkCpusConfigure(ovsDpdk.cpus, ovsDpdkPartition)),
    text(stalldBackend.path, stalldBackend.text),
    text(stalldDropIn.path, stalldDropIn.text),
    mixesCpus(input) && text("/etc/kubernetes/openshift-workload-mixed-cpus", mixedCpus),
  ].filter((file) => typeof file === "object");
}

/** The kubelet allocates shared CPUs like devices, which have a limit. */
const mixedCpus = `${JSON.stringify({ shared_cpus: { containers_limit: 256 } }, undefined, 2)}\n`;

function script(name: ScriptName, content: string): IgnitionFile {
  return textFile(scriptPath(name), 0o700, content);
}

function text(path: string, content: string): IgnitionFile {
  return textFile(path, 0o644, content);
}

const settingPath = "/etc/sysconfig/stalld-backend";

/** How stalld finds starving threads. Its other backend, eBPF, fails on some kernels. */
export const stalldBackend = {
  path: settingPath,
  text: 'BE="-b sched_debug"\n',
};

export const stalldDropIn = {
  path: "/etc/systemd/system/stalld.service.d/stalld-backend.conf",
  text: unitText([["Service", [["EnvironmentFile", settingPath]]]]),
};

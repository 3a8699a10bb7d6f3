import { type UnitSection, unitText } from "../../../language/ignition/unit-text.ts";

import type { ContainerRuntime, Topology } from "../topology.ts";

type File = readonly [path: string, text: string];

/** Where the kubelet of a machine has its configuration, as its unit says. */
export const kubeletDropIns = "/etc/kubernetes/kubelet.conf.d";
export const kubeletFlags = `--config=/var/lib/kubelet/config.yaml --config-dir=${kubeletDropIns}`;

interface BaseUnit {
  readonly name: string;
  readonly exec: string;
  /** Those that are not enabled have to be started. */
  readonly enabled: boolean;
}

const runtimeUnits: Readonly<Record<ContainerRuntime, BaseUnit>> = {
  containerd: { name: "containerd.service", exec: "/usr/bin/containerd", enabled: true },
  "cri-o": { name: "crio.service", exec: "/usr/bin/crio", enabled: true },
};

/** Units of every machine, with what they start. */
const units: readonly BaseUnit[] = [
  { name: "chronyd.service", exec: "/usr/sbin/chronyd", enabled: true },
  { name: "fwupd-refresh.timer", exec: "", enabled: true },
  { name: "irqbalance.service", exec: "/usr/sbin/irqbalance", enabled: true },
  { name: "stalld.service", exec: "/usr/bin/stalld", enabled: false },
  { name: "tuned.service", exec: "/usr/sbin/tuned", enabled: false },
];

function unitsOf({ runtime = "containerd" }: Topology): BaseUnit[] {
  const socket = runtime === "cri-o" ? " --container-runtime-endpoint=unix:///var/run/crio/crio.sock" : "";
  const exec = `/usr/bin/kubelet ${kubeletFlags}${socket}`;
  return [...units, runtimeUnits[runtime], { name: "kubelet.service", exec, enabled: true }];
}

export const unitFolder = "/usr/lib/systemd/system";

/** Those that exist on a machine run after its first boot. */
export const bootServices: ReadonlySet<string> = new Set(
  ["containerd", "cri-o"]
    .flatMap((runtime) => unitsOf({ runtime } as Topology))
    .filter(({ enabled }) => enabled)
    .map(({ name }) => name),
);

export function baseUnits(topology: Topology): File[] {
  return unitsOf(topology).map(({ name, exec }) => [
    `${unitFolder}/${name}`,
    unitText([
      ["Unit", [["Description", name]]],
      ...(exec === "" ? [] : [["Service", [["ExecStart", exec]]] satisfies UnitSection]),
      ["Install", [["WantedBy", "multi-user.target"]]],
    ]),
  ]);
}

export function baseUnitLinks(topology: Topology): File[] {
  return unitsOf(topology)
    .filter(({ enabled }) => enabled)
    .map(({ name }) => [`/etc/systemd/system/multi-user.target.wants/${name}`, `${unitFolder}/${name}`]);
}

import { type UnitSection, unitText } from "../../../language/ignition/unit-text.ts";

type File = readonly [path: string, text: string];

/** Where the kubelet of a machine has its configuration, as its unit says. */
export const kubeletFlags = "--config=/var/lib/kubelet/config.yaml --config-dir=/etc/kubernetes/kubelet.conf.d";

/** Units of every machine, with what they start. Those that are not enabled have to be started. */
const units: readonly { name: string; exec: string; enabled: boolean }[] = [
  { name: "chronyd.service", exec: "/usr/sbin/chronyd", enabled: true },
  { name: "containerd.service", exec: "/usr/bin/containerd", enabled: true },
  { name: "fwupd-refresh.timer", exec: "", enabled: true },
  { name: "irqbalance.service", exec: "/usr/sbin/irqbalance", enabled: true },
  { name: "kubelet.service", exec: `/usr/bin/kubelet ${kubeletFlags}`, enabled: true },
  { name: "stalld.service", exec: "/usr/bin/stalld", enabled: false },
  { name: "tuned.service", exec: "/usr/sbin/tuned", enabled: false },
];

/** They run after the first boot. */
export const bootServices: ReadonlySet<string> = new Set(
  units.filter(({ enabled }) => enabled).map(({ name }) => name),
);

export const baseUnits: readonly File[] = units.map(({ name, exec }) => [
  `/usr/lib/systemd/system/${name}`,
  unitText([
    ["Unit", [["Description", name]]],
    ...(exec === "" ? [] : [["Service", [["ExecStart", exec]]] satisfies UnitSection]),
    ["Install", [["WantedBy", "multi-user.target"]]],
  ]),
]);

export const baseUnitLinks: readonly File[] = [...bootServices].map((name) => [
  `/etc/systemd/system/multi-user.target.wants/${name}`,
  `/usr/lib/systemd/system/${name}`,
]);

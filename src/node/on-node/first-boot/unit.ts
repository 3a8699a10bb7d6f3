import { tokenPath } from "../../../domain/rollout/first-boot/token-file.ts";
import { type UnitOption, unitText } from "../../../language/ignition/unit-text.ts";
import { ctr, withContainerd, withPodman } from "../before-kubelet/image-run.ts";

const name = "attune-first-boot";
export const unitName = `${name}.service`;

/** Podman needs no daemon: CRI-O starts with the files of the config. */
const orders: Readonly<Record<"containerd" | "cri-o", readonly UnitOption[]>> = {
  containerd: [
    ["Requires", "containerd.service"],
    ["After", "network-online.target containerd.service"],
    ["Before", "kubelet.service"],
  ],
  "cri-o": [
    ["After", "network-online.target"],
    ["Before", "crio.service kubelet.service"],
  ],
};

/** The systemd unit that runs `attune agent --first-boot` before the kubelet: where it fails, the kubelet does not start. */
export function firstBootUnit(image: string, runtime: "containerd" | "cri-o" = "containerd"): string {
  const given = { name, image, args: "agent --first-boot --first-boot-timeout 24h", resolvesNames: true };
  const { prepare, run, clean } = runtime === "cri-o" ? withPodman(given) : withContainerd(given);
  const pull = runtime === "cri-o" ? `podman pull ${image}` : `${ctr} images pull ${image}`;
  return unitText([
    [
      "Unit",
      [
        ["Description", "Attune: the config of the pool, before this machine is a node"],
        ["ConditionPathExists", tokenPath],
        ["Wants", "network-online.target"],
        ...orders[runtime],
      ],
    ],
    [
      "Service",
      [
        ["Type", "oneshot"],
        ["RemainAfterExit", "yes"],
        // A unit that fails is not started again for those that require it.
        ["ExecStartPre", `/bin/sh -c 'until ${pull}; do sleep 10; done'`],
        ...prepare,
        run,
        ...clean,
        ["TimeoutStartSec", "infinity"],
      ],
    ],
    ["Install", [["RequiredBy", "kubelet.service"]]],
  ]);
}

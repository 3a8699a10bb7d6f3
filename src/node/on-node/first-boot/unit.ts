import { tokenPath } from "../../../domain/rollout/first-boot/token-file.ts";
import { unitText } from "../../../language/ignition/unit-text.ts";

export const unitName = "attune-first-boot.service";
/** Hosts of kubeadm have containerd and no other program that runs an image. The kubelet's namespace: the agent has the same image. */
const ctr = "/usr/bin/ctr --namespace k8s.io";
const files = "/run/attune-first-boot";

/** The systemd unit that runs `attune agent --first-boot` before the kubelet: where it fails, the kubelet does not start. */
export function firstBootUnit(image: string): string {
  // From the files of the image, since ctr would take its user, who may change nothing on the machine.
  const run = `${ctr} run --rm --rootfs --privileged --net-host --env PATH=/usr/local/bin:/usr/sbin:/usr/bin`;
  const host = "--mount type=bind,src=/,dst=/host,options=rbind:rw";
  return unitText([
    [
      "Unit",
      [
        ["Description", "Attune: the config of the pool, before this machine is a node"],
        ["ConditionPathExists", tokenPath],
        ["Wants", "network-online.target"],
        ["Requires", "containerd.service"],
        ["After", "network-online.target containerd.service"],
        ["Before", "kubelet.service"],
      ],
    ],
    [
      "Service",
      [
        ["Type", "oneshot"],
        ["RemainAfterExit", "yes"],
        // A unit that fails is not started again for those that require it.
        ["ExecStartPre", `/bin/sh -c 'until ${ctr} images pull ${image}; do sleep 10; done'`],
        // Left by a start that was cut off.
        ["ExecStartPre", `-${ctr} containers rm attune-first-boot`],
        ["ExecStartPre", `-${ctr} images unmount --rm ${files}`],
        ["ExecStartPre", `/usr/bin/mkdir -p ${files}`],
        ["ExecStartPre", `${ctr} images mount --rw ${image} ${files}`],
        [
          "ExecStart",
          `${run} ${host} ${files} attune-first-boot /usr/local/bin/attune agent --first-boot --first-boot-timeout 24h --root /host`,
        ],
        ["ExecStopPost", `-${ctr} images unmount --rm ${files}`],
        ["TimeoutStartSec", "infinity"],
      ],
    ],
    ["Install", [["RequiredBy", "kubelet.service"]]],
  ]);
}

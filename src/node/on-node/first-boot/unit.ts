import { tokenPath } from "../../../domain/rollout/first-boot/token-file.ts";
import { unitText } from "../../../language/ignition/unit-text.ts";
import { ctr, withContainerd } from "../before-kubelet/image-run.ts";

const name = "attune-first-boot";
export const unitName = `${name}.service`;

/** The systemd unit that runs `attune agent --first-boot` before the kubelet: where it fails, the kubelet does not start. */
export function firstBootUnit(image: string): string {
  const args = "agent --first-boot --first-boot-timeout 24h";
  const { prepare, run, clean } = withContainerd({ name, image, args, resolvesNames: true });
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
        ...prepare,
        run,
        ...clean,
        ["TimeoutStartSec", "infinity"],
      ],
    ],
    ["Install", [["RequiredBy", "kubelet.service"]]],
  ]);
}

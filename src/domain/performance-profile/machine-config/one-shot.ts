import type { IgnitionUnit } from "../../../language/ignition/config.ts";
import { unitText } from "../../../language/ignition/unit-text.ts";

/** The agent writes its image there. The unit does nothing before the agent has run for the first time. */
export const imageFile = "/var/lib/ocp-tuned/image.env";
export const imageVariable = "NTO_IMAGE";
const container = "openshift-tuned";

/** The kubelet waits for the container, so it has a timeout, and its failure is ignored. */
const tune = [
  `-/usr/bin/podman run --name ${container} --replace --rm --timeout 60`,
  // The image names a user who is not root.
  "--privileged --user 0:0 --security-opt label=disable --network host --pid host --log-driver none",
  "--authfile /var/lib/kubelet/config.json --volume /:/host:rslave",
  `--entrypoint attune $${imageVariable} agent --one-shot --root /host`,
].join(" ");

/** Applies the last profile before the kubelet starts the first pod. Later the agent takes over. */
export const oneShotUnit: IgnitionUnit = {
  name: "ocp-tuned-one-shot.service",
  enabled: true,
  contents: unitText([
    [
      "Unit",
      [
        ["Description", "Tunes the node before its first pod starts"],
        ["After", "firstboot-osupdate.target systemd-sysctl.service network.target polkit.service"],
        ["Requires", "kubelet-dependencies.target"],
        ["Before", "kubelet-dependencies.target"],
        ["ConditionPathExists", imageFile],
      ],
    ],
    [
      "Service",
      [
        ["Type", "oneshot"],
        ["Restart", "on-failure"],
        ["RestartSec", "5s"],
        ["Environment", "PODMAN_SYSTEMD_UNIT=%n"],
        ["EnvironmentFile", "-/etc/mco/proxy.env"],
        ["EnvironmentFile", `-${imageFile}`],
        ["ExecStart", tune],
        ["ExecStart", "/usr/bin/true"],
        ["ExecStop", `-/usr/bin/podman stop --ignore --time 20 ${container}`],
        ["ExecStopPost", `-/usr/bin/podman rm --force --ignore ${container}`],
      ],
    ],
    ["Install", [["RequiredBy", "kubelet-dependencies.target"]]],
  ]),
};

import { type UnitOption, unitText } from "../../../language/ignition/unit-text.ts";
import { recordPath } from "../tuning-record.ts";
import { type RunLines, withContainerd, withPodman } from "./image-run.ts";

const name = "attune-one-shot";
export const oneShotService = `${name}.service`;

export interface OneShot {
  readonly image: string;
  /** The units of the host's kubelet and container runtime. */
  readonly kubelet: string;
  readonly runtime: string;
  readonly program: "ctr" | "podman";
  /** Where `ctr` finds containerd; default its own. */
  readonly socket?: string | undefined;
}

/**
 * Tunes the node from its record while the kubelet waits, so that pods that were bound to it before a restart start on a tuned
 * node. The kubelet does not require it: where it fails or takes too long, the kubelet starts, and the Node keeps its taint.
 */
export function oneShotUnit({ image, kubelet, runtime, ...how }: OneShot): string {
  const { prepare, run, clean } = linesOf({ name, image, args: "agent --one-shot" }, how);
  return unitText([
    [
      "Unit",
      [
        ["Description", "Attune: tunes the node before its first pod starts"],
        // Of a node that is tuned.
        ["ConditionPathExists", recordPath],
        ["After", `${runtime} systemd-sysctl.service`],
        ["Before", kubelet],
      ],
    ],
    [
      "Service",
      [
        ["Type", "oneshot"],
        ...prepare,
        run,
        ...clean,
        // For each line. A runtime that does not answer ends the unit with the first of them.
        ["TimeoutStartSec", "60"],
        ["TimeoutStopSec", "10"],
      ],
    ],
    // Not of the kubelet: it would run again whenever the kubelet is started.
    ["Install", [["WantedBy", bootTarget]]],
  ] satisfies [string, UnitOption[]][]);
}

export const bootTarget = "multi-user.target";

function linesOf(
  run: Parameters<typeof withPodman>[0],
  { program, socket }: Pick<OneShot, "program" | "socket">,
): RunLines {
  if (program === "podman") return withPodman(run);
  return socket === undefined ? withContainerd(run) : withContainerd(run, `ctr --address ${socket} --namespace k8s.io`);
}

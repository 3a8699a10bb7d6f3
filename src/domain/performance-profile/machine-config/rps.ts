import { formatMask } from "../../../language/cpu/cpu-mask.ts";
import type { CpuSet } from "../../../language/cpu/cpu-set.ts";

/** Which CPUs take packets off queues of network devices that are made from now on, most of them those of pods. */
export function defaultRpsMask(cpus: CpuSet): string {
  return `net.core.rps_default_mask = ${formatMask(cpus)}\n`;
}

/** The unit that takes the mask back from a queue or a device. */
export const updateRpsUnit = "update-rps@.service";

const start = `TAG+="systemd", PROGRAM="/bin/systemd-escape --path --template=${updateRpsUnit} $env{DEVPATH}", ENV{SYSTEMD_WANTS}="%c"`;

/** Network cards spread packets over CPUs themselves, and got the default mask like everything else. */
export const physicalRpsRules = `# Every receive queue of a card, as it appears.
SUBSYSTEM=="queues", ACTION=="add", ENV{DEVPATH}=="/devices/pci*/queues/rx*", ${start}
# Every card that is renamed, since the path that its queues appeared under is gone.
SUBSYSTEM=="net", ACTION=="move", ENV{DEVPATH}!="/devices/virtual/net/*", ${start}
`;

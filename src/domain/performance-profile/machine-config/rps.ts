import { formatMask } from "../../../language/cpu/cpu-mask.ts";
import type { CpuSet } from "../../../language/cpu/cpu-set.ts";

/** Which CPUs process packets of network devices that are created from now on, most of them devices of pods. */
export function defaultRpsMask(cpus: CpuSet): string {
  return `net.core.rps_default_mask = ${formatMask(cpus)}\n`;
}

/** The unit that resets the mask of a queue or a device. */
export const updateRpsUnit = "update-rps@.service";

const start = `TAG+="systemd", PROGRAM="/bin/systemd-escape --path --template=${updateRpsUnit} $env{DEVPATH}", ENV{SYSTEMD_WANTS}="%c"`;

/** Physical cards distribute packets over CPUs themselves, so the default mask is reset for them. */
export const physicalRpsRules = `# Every receive queue of a card, as it appears.
SUBSYSTEM=="queues", ACTION=="add", ENV{DEVPATH}=="/devices/pci*/queues/rx*", ${start}
# Every card that is renamed, since the path that its queues appeared under is gone.
SUBSYSTEM=="net", ACTION=="move", ENV{DEVPATH}!="/devices/virtual/net/*", ${start}
`;

import type { Plugin } from "../plugin.ts";
import { acpi } from "./firmware/acpi.ts";
import { uncore } from "./firmware/uncore.ts";
import { bootloader } from "./bootloader/bootloader.ts";
import { cpu } from "./cpu/cpu.ts";
import { disk } from "./disk/disk.ts";
import { irq } from "./irq/irq.ts";
import { irqbalance } from "./irq/irqbalance.ts";
import { leftToTuned } from "./left-to-tuned.ts";
import { modules } from "./modules.ts";
import { mounts } from "./mounts.ts";
import { net } from "./net/net.ts";
import { rtentsk } from "./rtentsk.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { script } from "./script.ts";
import { scsiHost } from "./scsi-host.ts";
import { selinux } from "./selinux.ts";
import { service } from "./service.ts";
import { sysctl } from "./sysctl/sysctl.ts";
import { sysfs } from "./sysfs.ts";
import { systemd } from "./systemd.ts";
import { vm } from "./vm/vm.ts";

/** Every plug-in of TuneD 2.28; the native engine reports those that it leaves to the daemon. */
export const nativePlugins: readonly Plugin[] = [
  acpi,
  bootloader,
  cpu,
  disk,
  irq,
  irqbalance,
  modules,
  mounts,
  net,
  rtentsk,
  scheduler,
  script,
  scsiHost,
  selinux,
  service,
  sysctl,
  sysfs,
  systemd,
  uncore,
  vm,
  ...leftToTuned,
];

import type { Plugin } from "../plugin.ts";
import { bootloader } from "./bootloader.ts";
import { cpu } from "./cpu.ts";
import { disk } from "./disk.ts";
import { irq } from "./irq.ts";
import { irqbalance } from "./irqbalance.ts";
import { net } from "./net.ts";
import { scheduler } from "./scheduler.ts";
import { scsiHost } from "./scsi-host.ts";
import { sysctl } from "./sysctl.ts";
import { sysfs } from "./sysfs.ts";
import { vm } from "./vm.ts";

/** What the native engine knows. */
export const nativePlugins: readonly Plugin[] = [
  bootloader,
  cpu,
  disk,
  irq,
  irqbalance,
  net,
  scheduler,
  scsiHost,
  sysctl,
  sysfs,
  vm,
];

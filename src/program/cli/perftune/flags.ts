import { list, text, toggle } from "../option/flag.ts";
import { rootFlag } from "../option/shared-flags.ts";

/** Flags of `attune perftune`. Values are read later, as those of an options file are. */
export const perftuneFlags = {
  tune: list("--tune <component>", "what to tune: net, disks or system; at least one, may be repeated"),
  nic: list(
    "--nic <name>",
    "network interface; a bond, VLAN or bridge stands for its cards; may be repeated (default: eth0)",
  ),
  dir: list("--dir <path>", "directory whose disks are tuned; may be repeated"),
  dev: list("--dev <name>", "disk to tune, such as nvme0n1; may be repeated"),
  mode: text(
    "--mode <mode>",
    "CPUs of interrupts: auto (by the machine), mq (all), sq (the first CPU), sq_split (the first core) or no_irq_restrictions (all)",
    { shownDefault: "auto" },
  ),
  irqCpuMask: text("--irq-cpu-mask <mask>", "CPUs of interrupts, such as 0x00000003; not with --mode"),
  cpuMask: text("--cpu-mask <mask>", "CPUs to use", { shownDefault: "all that are online" }),
  irqCoreAutoDetectionRatio: text(
    "--irq-core-auto-detection-ratio <n>",
    "cores for each IRQ core in mode auto, 5 or more",
    {
      shownDefault: "16",
    },
  ),
  numRxQueues: text("--num-rx-queues <n>", "receive queues of each network card", {
    shownDefault: "one for each IRQ CPU",
  }),
  arfs: text("--arfs <bool>", "steer flows in hardware (ntuple filters)", {
    shownDefault: "on if interrupts may use all CPUs, else off",
  }),
  tcpMemFraction: text("--tcp-mem-fraction <fraction>", "share of the memory that TCP may take", {
    shownDefault: "0.03",
  }),
  writeBackCache: text(
    "--write-back-cache <bool>",
    "what the kernel believes about write caches of disks; false may lose data on disks that have one",
    { shownDefault: "left alone" },
  ),
  tuneClock: toggle("--tune-clock", "with --tune system: choose the fastest clock source"),
  optionsFile: text("--options-file <file>", "YAML file with options; flags win over it, lists are joined"),
  dumpOptionsFile: toggle("--dump-options-file", "print the options as an options file, and exit"),
  getCpuMask: toggle("--get-cpu-mask", "print the CPUs that are left to the database, and exit"),
  getCpuMaskQuiet: toggle("--get-cpu-mask-quiet", "the same, and 0x0 if none are left"),
  getIrqCpuMask: toggle("--get-irq-cpu-mask", "print the CPUs of interrupts, and exit"),
  dryRun: toggle("--dry-run", "print what would be written and run, as shell commands, and change nothing"),
  verbose: toggle(
    "--verbose",
    "also print settings that are so already, and interrupts that the kernel keeps where they are",
  ),
  undo: toggle("--undo", "restore what all earlier runs changed, and exit"),
  root: rootFlag,
};

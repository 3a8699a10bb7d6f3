/** Files that an engine leaves otherwise than TuneD 2.20 alone, with the reason. Each must occur. */
export interface Deviation {
  readonly path: string;
  /** Where only this profile causes it. */
  readonly profile?: string;
  readonly engine: "native" | "tuned";
  readonly when: "applied" | "undone";
  readonly reason: string;
}

const irqbalance = "/etc/default/irqbalance";
const modules = "/etc/modprobe.d/tuned.conf";
const grubMenu = "/boot/grub/grub.cfg";
const bootState = "/etc/tuned/bootcmdline";
const workQueue = "/sys/devices/virtual/workqueue/writeback/cpumask";

export const deviations: readonly Deviation[] = [
  {
    path: irqbalance,
    engine: "native",
    when: "applied",
    reason: "as TuneD 2.28 does, CPUs are banned by a list; 2.20 writes a mask",
  },
  ...(["native", "tuned"] as const).flatMap((engine): Deviation[] => [
    { path: irqbalance, engine, when: "undone", reason: "TuneD removes a ban that was there before it started (Q17)" },
    { path: modules, engine, when: "undone", reason: "TuneD loses the file's original text (Q13)" },
    { path: workQueue, engine, when: "undone", reason: "TuneD does not restore a file that two paths lead to (Q27)" },
  ]),
  {
    path: modules,
    engine: "native",
    when: "applied",
    reason: "what the file has already stays; TuneD drops it (Q13)",
  },
  {
    path: "/etc/systemd/system.conf",
    engine: "native",
    when: "applied",
    reason: "as TuneD 2.28 does, the affinity goes to a file of its own",
  },
  {
    path: "/etc/systemd/system.conf.d/00-tuned.conf",
    engine: "native",
    when: "applied",
    reason: "as TuneD 2.28 does, the affinity goes to a file of its own",
  },
  ...(["native", "tuned"] as const).map((engine): Deviation => ({
    path: bootState,
    engine,
    when: "undone",
    reason: "the lines are as they were before; TuneD leaves empty arguments in quotes of its own",
  })),
  ...(["native", "tuned"] as const).flatMap((engine) =>
    [grubMenu, "/etc/default/grub"].map((path): Deviation => ({
      path,
      engine,
      when: "undone",
      reason: "nothing is left of variables and lines that were not there before; TuneD leaves them empty",
    })),
  ),
  ...[bootState, grubMenu].map((path): Deviation => ({
    path,
    profile: "shell-words",
    engine: "native",
    when: "applied",
    reason: "a shell and GRUB read these files, so characters that they would expand are escaped",
  })),
  ...["/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_background_bytes"].map((path): Deviation => ({
    path,
    engine: "native",
    when: "undone",
    reason: "the kernel takes no 0 and clears it when the ratio comes back, which is what is written; copies do not",
  })),
];

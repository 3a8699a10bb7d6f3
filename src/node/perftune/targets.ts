/** Names in the ledger of what has no path of its own. */

const bans = "bans of IRQs in ";

/** Only the bans: other programs set other lines of the file. */
export function bansTarget(config: string): string {
  return `${bans}${config}`;
}

export function isBansTarget(target: string): boolean {
  return target.startsWith(bans);
}

/** That irqbalance was started with them. */
export function restartTarget(target: string): string {
  return `irqbalance started with ${target}`;
}

export function affinityPath(irq: number): string {
  return `/proc/irq/${irq}/smp_affinity`;
}

/** An IRQ of a NIC, and the queue that it serves; Infinity if its name says none. */
export interface QueueIrq {
  readonly irq: number;
  readonly queue: number;
}

/** IRQs of queues, by the names that drivers give them. Others are for management, links and errors. */
const queueNames =
  /-TxRx-|-fp-|-Tx-Rx-|mlx4-[0-9]+@|mlx5_comp[0-9]+@|virtio[0-9]+-(?:input|output)|(?:^|\s)mana_q[0-9]+@/;

/** By the first letters of a driver: how a name says its queue. */
const queuePatterns: readonly (readonly [driver: string, patterns: readonly RegExp[]])[] = [
  ["mlx", [/mlx5_comp([0-9]+)@/, /mlx4-([0-9]+)@/]],
  ["virtio", [/virtio[0-9]+-(?:input|output)\.([0-9]+)$/]],
  ["mana", [/(?:^|\s)mana_q([0-9]+)@/]],
  // Flow director of Intel's drivers has an IRQ named like a queue.
  ["", [/^(?!.*fdir-TxRx-).*-TxRx-([0-9]+)/]],
];

/**
 * The IRQs of a NIC's queues, by queue; all IRQs where no name is one of a queue's. IRQs whose queue is unknown are last, by their
 * number as text (10, 100, 9), as perftune.py orders them: its spread is kept.
 */
export function queueIrqs(
  { irqs, driver }: { readonly irqs: readonly number[]; readonly driver: string },
  interrupts: ReadonlyMap<number, string>,
): QueueIrq[] {
  const nameOf = (irq: number): string => interrupts.get(irq) ?? "";
  const serving = irqs.filter((irq) => queueNames.test(nameOf(irq)));
  const patterns = queuePatterns.find(([prefix]) => driver.startsWith(prefix))?.[1] ?? [];
  return [...new Set(serving.length > 0 ? serving : irqs)]
    .sort((a, b) => (String(a) < String(b) ? -1 : 1))
    .map((irq) => ({ irq, queue: queueOf(nameOf(irq), patterns) }))
    .sort((a, b) => (a.queue === b.queue ? 0 : a.queue - b.queue));
}

function queueOf(name: string, patterns: readonly RegExp[]): number {
  for (const pattern of patterns) {
    const queue = pattern.exec(name)?.[1];
    if (queue !== undefined) return Number(queue);
  }
  return Infinity;
}

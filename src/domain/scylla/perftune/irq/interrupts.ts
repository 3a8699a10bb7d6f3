/** By IRQ: the text of its line in /proc/interrupts, without the counters. `NMI` and the like have no number and are left out. */
export function readInterrupts(text: string): ReadonlyMap<number, string> {
  const interrupts = new Map<number, string>();
  for (const line of text.split("\n")) {
    const match = /^\s*([0-9]{1,9}):(?:\s+[0-9]+(?=\s|$))*(.*)$/.exec(line);
    if (match) interrupts.set(Number(match[1]), (match[2] ?? "").trim());
  }
  return interrupts;
}

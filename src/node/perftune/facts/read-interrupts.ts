import type { Host } from "../../host/host.ts";

/** By IRQ: the text of its line in /proc/interrupts, without the counters. */
export async function readInterrupts(host: Host): Promise<ReadonlyMap<number, string>> {
  const file = await host.read("/proc/interrupts");
  return file.type === "text" ? parseInterrupts(file.text) : new Map();
}

/** The header names the online CPUs, each of which has a counter in every line. */
export function parseInterrupts(text: string): Map<number, string> {
  const [header = "", ...lines] = text.split("\n");
  const cpus = header.trim() === "" ? 0 : header.trim().split(/\s+/).length;
  const counters = new RegExp(`^\\s*([0-9]{1,9}):(?:\\s+[0-9]+){${cpus}}\\s*`);
  const interrupts = new Map<number, string>();
  for (const line of lines) {
    const match = counters.exec(line);
    if (match) interrupts.set(Number(match[1]), line.slice(match[0].length).trim().replaceAll(/\s+/g, " "));
  }
  return interrupts;
}

import type { Host } from "../../host/host.ts";
import { textOf } from "./text-of.ts";

export interface DeviceIrqs {
  /** The device's folder in /sys. */
  readonly device: string;
  /** What names the interrupts of a Xen device: its interface, or `blkif`. */
  readonly xenName: string;
  readonly interrupts: ReadonlyMap<number, string>;
}

/** The IRQs of a device, in order: message signalled ones, else its line, else those that have the device's name. */
export async function deviceIrqs({ device, xenName, interrupts }: DeviceIrqs, host: Host): Promise<number[]> {
  const signalled = (await host.list(`${device}/msi_irqs`)).flatMap(irqOf);
  if (signalled.length > 0) return inOrder(signalled);
  const lines = ((await textOf(host, `${device}/irq`)) ?? "").split("\n").flatMap(irqOf);
  if (lines.length > 0) return inOrder(lines);
  const modalias = (await textOf(host, `${device}/modalias`)) ?? "";
  if (modalias.startsWith("xen:")) return named(xenName, interrupts);
  if (!modalias.startsWith("virtio")) return [];
  const name = (await host.real(device)).split("/").at(-1) ?? "";
  return /^virtio[0-9]+$/.test(name) ? named(name, interrupts) : [];
}

/** `virtio1-input.0`, but not `virtio10-input.0`. Devices that share an interrupt are all in its line. */
function named(name: string, interrupts: ReadonlyMap<number, string>): number[] {
  const isNamed = (text: string): boolean =>
    text.split(/[\s,]+/).some((word) => word === name || word.startsWith(`${name}-`));
  return inOrder([...interrupts].flatMap(([irq, text]) => (isNamed(text) ? [irq] : [])));
}

/** 0 is none. */
function irqOf(text: string): number[] {
  return /^[1-9][0-9]{0,8}$/.test(text.trim()) ? [Number(text)] : [];
}

function inOrder(irqs: readonly number[]): number[] {
  return [...new Set(irqs)].toSorted((a, b) => a - b);
}

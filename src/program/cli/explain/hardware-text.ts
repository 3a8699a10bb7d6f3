import type { HardwareExplanation } from "../../../domain/node-tuning/explain/hardware.ts";

/** The hardware of a node, in two lines. */
export function hardwareText(hardware: HardwareExplanation): string[] {
  const { architecture, vendor, sockets, cores, threads, offline, caches = [], otherMemory, numaNodes } = hardware;
  const made = [
    ...(architecture === undefined ? [] : [vendor === undefined ? architecture : `${architecture} (${vendor})`]),
    counted(sockets, "socket"),
    counted(cores, "core"),
    counted(threads, "thread"),
    ...cachesText(caches),
    ...(offline === undefined ? [] : [`switched off: ${offline}`]),
  ];
  const nodes = numaNodes.map(({ id, memory, cpus }) => {
    const held = memory === undefined ? "" : ` ${gibibytes(memory)},`;
    return `NUMA node ${id}:${held}${cpus === "" ? " without CPUs" : ` CPUs ${cpus}`}`;
  });
  const other = otherMemory === undefined ? [] : [`but /proc/meminfo: ${gibibytes(otherMemory)}`];
  return [made.join(", "), [...nodes, ...other].join("; ")];
}

/** `2 L3 caches of 32 MiB`: caches of one level mostly have one size. */
function cachesText(caches: NonNullable<HardwareExplanation["caches"]>): string[] {
  const counts = new Map<string, { readonly what: string; readonly size: string; count: number }>();
  for (const { level, size } of caches) {
    const key = `${level} ${size}`;
    const known = counts.get(key) ?? { what: `L${level} cache`, size: mebibytes(size), count: 0 };
    known.count++;
    counts.set(key, known);
  }
  return Array.from(counts.values(), ({ what, size, count }) => `${counted(count, what)} of ${size}`);
}

function mebibytes(size: string): string {
  return `${Number((Number.parseInt(size, 10) / 2 ** 10).toFixed(1))} MiB`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function gibibytes(memory: string): string {
  const gibibytes = Number.parseInt(memory, 10) / 2 ** 20;
  return `${Number(gibibytes.toFixed(1))} GiB`;
}

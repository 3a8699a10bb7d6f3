import type { HardwareExplanation } from "../../../domain/node-tuning/explain/hardware.ts";

/** The hardware of a node, in two lines. */
export function hardwareText(hardware: HardwareExplanation): string[] {
  const { architecture, vendor, sockets, cores, threads, offline, otherMemory, numaNodes } = hardware;
  const made = [
    ...(architecture === undefined ? [] : [vendor === undefined ? architecture : `${architecture} (${vendor})`]),
    counted(sockets, "socket"),
    counted(cores, "core"),
    counted(threads, "thread"),
    ...(offline === undefined ? [] : [`switched off: ${offline}`]),
  ];
  const nodes = numaNodes.map(({ id, memory, cpus }) => {
    const held = memory === undefined ? "" : ` ${gibibytes(memory)},`;
    return `NUMA node ${id}:${held}${cpus === "" ? " without CPUs" : ` CPUs ${cpus}`}`;
  });
  const other = otherMemory === undefined ? [] : [`but /proc/meminfo: ${gibibytes(otherMemory)}`];
  return [made.join(", "), [...nodes, ...other].join("; ")];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function gibibytes(memory: string): string {
  const gibibytes = Number.parseInt(memory, 10) / 2 ** 20;
  return `${Number(gibibytes.toFixed(1))} GiB`;
}

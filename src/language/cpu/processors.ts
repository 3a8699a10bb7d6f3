/** No kernel can be built for more, of CPUs or of NUMA nodes: a snapshot that has more was not taken of a machine. */
export const mostIds = 8192;

/** A CPU as /proc/cpuinfo has it; not every architecture names sockets and cores there. */
export interface Processor {
  readonly socket?: number;
  readonly core?: number;
}

/** By number. */
export function readProcessors(cpuinfo: string): ReadonlyMap<number, Processor> {
  const processors = new Map<number, Processor>();
  let current: number | undefined;
  for (const line of cpuinfo.split("\n")) {
    const match = /^(processor|physical id|core id)\s*:\s*([0-9]{1,9})\s*$/.exec(line);
    if (!match) continue;
    const value = Number(match[2]);
    if (match[1] === "processor") {
      current = value < mostIds ? value : undefined;
      if (current !== undefined) processors.set(current, {});
    } else if (current !== undefined)
      processors.set(current, {
        ...processors.get(current),
        ...(match[1] === "core id" ? { core: value } : { socket: value }),
      });
  }
  return processors;
}

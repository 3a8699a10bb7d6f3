import type { NetFacts } from "./host-facts.ts";
import type { PerftuneStep } from "./plan.ts";

/** Connections that wait to be accepted. */
const backlog = "4096";

/** Settings of the network that no NIC has. TCP memory in pages: where the kernel has no pressure, where it presses, and the most. */
export function tuneNetwork({ memoryBytes, pageBytes }: NetFacts, tcpMemFraction: number): PerftuneStep[] {
  const most = (memoryBytes * tcpMemFraction) / pageBytes;
  const tcpMemory = [most / 2, (most * 2) / 3, most].map((pages) => Math.ceil(pages));
  return [
    write("core/somaxconn", backlog),
    write("ipv4/tcp_max_syn_backlog", backlog),
    write("ipv4/tcp_mem", tcpMemory.join(" ")),
  ];
}

function write(name: string, value: string): PerftuneStep {
  return { type: "write", path: `/proc/sys/net/${name}`, value, refusal: "warned" };
}

import type { NetFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import type { Host } from "../../host/host.ts";
import { textOf } from "./text-of.ts";

export async function readNet(host: Host): Promise<NetFacts> {
  const [entries, meminfo, pageBytes] = await Promise.all([
    textOf(host, "/proc/sys/net/core/rps_sock_flow_entries"),
    textOf(host, "/proc/meminfo"),
    readPageBytes(host),
  ]);
  const flowEntries = /^[0-9]{1,15}$/.exec(entries?.trim() ?? "")?.[0];
  const kibibytes = /^MemTotal:\s*([0-9]{1,15})\s*kB/m.exec(meminfo ?? "")?.[1] ?? "0";
  return {
    ...(flowEntries === undefined ? {} : { flowEntries: Number(flowEntries) }),
    memoryBytes: Number(kibibytes) * 1024,
    pageBytes,
  };
}

/** AT_PAGESZ of the auxiliary vector (getauxval(3)), whose entries are pairs of 64-bit numbers. */
const pageSizeKey = 6n;

async function readPageBytes(host: Host): Promise<number> {
  const file = await host.readBytes("/proc/self/auxv");
  if (file.type === "bytes") {
    const words = new BigUint64Array(file.bytes.slice(0, file.bytes.length & ~15).buffer);
    for (let at = 0; at < words.length; at += 2) if (words[at] === pageSizeKey) return Number(words[at + 1]);
  }
  return 4096;
}

import { loadTopology } from "../../../language/cpu/load-topology.ts";
import { cpuFolder } from "../../../language/cpu/read-topology.ts";
import type { HostFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import type { Host } from "../../host/host.ts";
import { textOf } from "./text-of.ts";

/** What masks depend on. */
export type Machine = Pick<HostFacts, "topology" | "hasSiblings">;

export async function readMachine(host: Host): Promise<Machine> {
  const [topology, hasSiblings] = await Promise.all([
    loadTopology({ read: (path) => textOf(host, path), list: (path) => host.list(path) }),
    knowsSiblings(host),
  ]);
  return { topology, hasSiblings };
}

const siblings = ["package_cpus", "core_cpus", "core_siblings", "thread_siblings"];

/** CPU 0 may be offline. */
async function knowsSiblings(host: Host): Promise<boolean> {
  const cpus = (await host.list(cpuFolder)).filter((name) => /^cpu[0-9]+$/.test(name));
  for (const cpu of cpus) {
    const names = await host.list(`${cpuFolder}/${cpu}/topology`);
    if (names.length > 0) return siblings.some((name) => names.includes(name));
  }
  return false;
}

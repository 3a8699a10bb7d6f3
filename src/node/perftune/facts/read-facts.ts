import { loadTopology } from "../../../language/cpu/load-topology.ts";
import { cpuFolder } from "../../../language/cpu/read-topology.ts";
import type { HostFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import { readInterrupts } from "../../../domain/scylla/perftune/irq/interrupts.ts";
import type { PerftuneOptions } from "../../../domain/scylla/perftune/option/perftune-options.ts";
import type { Ledger } from "../../engine/ledger.ts";
import type { Host } from "../../host/host.ts";
import { readClock } from "./read-clock.ts";
import { type DisksWanted, readDisks } from "./read-disks.ts";
import { readIrqbalance } from "./read-irqbalance.ts";
import { readNet } from "./read-net.ts";
import { readNics } from "./read-nics.ts";
import { textOf } from "./text-of.ts";

/** What facts are read for. */
export type FactsWanted = Pick<PerftuneOptions, "tune" | "nics" | "tuneClock"> & DisksWanted;

/** What perftune needs to know of a host: only of the components that are tuned. Changes nothing. */
export async function readFacts(host: Host, wanted: FactsWanted, ledger: Ledger): Promise<HostFacts> {
  const [disks, net] = [wanted.tune.includes("disks"), wanted.tune.includes("net")];
  const moves = disks || net;
  const [topology, hasSiblings, lines] = await Promise.all([
    loadTopology({ read: (path) => textOf(host, path), list: (path) => host.list(path) }),
    knowsSiblings(host),
    moves ? textOf(host, "/proc/interrupts") : undefined,
  ]);
  const interrupts = readInterrupts(lines ?? "");
  return {
    topology,
    hasSiblings,
    interrupts,
    ...(net ? { nics: await readNics(wanted.nics, host, interrupts), net: await readNet(host) } : {}),
    ...(disks ? { disks: await readDisks(wanted, host, interrupts) } : {}),
    ...irqbalanceOf(moves ? await readIrqbalance(host, ledger) : undefined),
    ...(wanted.tune.includes("system") && wanted.tuneClock ? { clock: await readClock(host) } : {}),
  };
}

function irqbalanceOf(irqbalance: HostFacts["irqbalance"]): Pick<HostFacts, "irqbalance"> {
  return irqbalance ? { irqbalance } : {};
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

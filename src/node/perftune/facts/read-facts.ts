import type { HostFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import { readInterrupts } from "../../../domain/scylla/perftune/irq/interrupts.ts";
import type { PerftuneOptions } from "../../../domain/scylla/perftune/option/perftune-options.ts";
import type { Ledger } from "../../engine/ledger.ts";
import type { Host } from "../../host/host.ts";
import { readClock } from "./read-clock.ts";
import { type DisksWanted, readDisks } from "./read-disks.ts";
import { readMachine } from "./read-machine.ts";
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
  const [machine, lines] = await Promise.all([readMachine(host), moves ? textOf(host, "/proc/interrupts") : undefined]);
  const interrupts = readInterrupts(lines ?? "");
  return {
    ...machine,
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

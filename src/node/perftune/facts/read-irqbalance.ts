import type { IrqbalanceFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import type { Ledger } from "../../engine/ledger.ts";
import type { Host } from "../../host/host.ts";
import { bansTarget } from "../targets.ts";
import { textOf } from "./text-of.ts";

const configs = ["/etc/default/irqbalance", "/etc/sysconfig/irqbalance", "/etc/conf.d/irqbalance"];
const unitFolders = ["/lib/systemd/system", "/usr/lib/systemd/system"];

/** `undefined` where irqbalance does not run. */
export async function readIrqbalance(host: Host, ledger: Ledger): Promise<IrqbalanceFacts | undefined> {
  if (!(await runs("irqbalance", host))) return undefined;
  const units = await Promise.all(unitFolders.map((folder) => textOf(host, `${folder}/irqbalance.service`)));
  const unitText = units.find((text) => text !== undefined);
  const facts = {
    hasUnit: unitText !== undefined,
    ...(unitText === undefined ? {} : { unitText }),
    isSystemd: /systemd/.test((await textOf(host, "/proc/1/comm")) ?? ""),
  };
  for (const path of configs) {
    const text = await textOf(host, path);
    if (text === undefined) continue;
    const backup = await textOf(host, `${path}.scylla.orig`);
    const bannedByUs = bansOf(path, text, backup, ledger);
    return { ...facts, config: { path, text }, hasBackup: backup !== undefined, bannedByUs };
  }
  return { ...facts, hasBackup: false, bannedByUs: [] };
}

/** Bans that were not there before this tuner, or before another one that left a copy of the file. */
function bansOf(path: string, text: string, backup: string | undefined, ledger: Ledger): number[] {
  const before = ledger.find(bansTarget(path))?.before ?? backup;
  if (before === undefined) return [];
  const original = new Set(bansIn(before));
  return bansIn(text).filter((irq) => !original.has(irq));
}

function bansIn(text: string): number[] {
  return [...text.matchAll(/--banirq=([0-9]{1,9})(?=[\s"']|$)/g)].map(([, irq]) => Number(irq));
}

/** Whether a process has the name, and has not ended. */
async function runs(name: string, host: Host): Promise<boolean> {
  const pids = (await host.list("/proc")).filter((entry) => /^[0-9]+$/.test(entry));
  const stats = await Promise.all(pids.map((pid) => textOf(host, `/proc/${pid}/stat`)));
  return stats.some((stat) => {
    const [, comm, state] = /^[0-9]+ \((.*)\) (\S)/s.exec(stat ?? "") ?? [];
    return comm === name && state !== "Z" && state !== "X";
  });
}

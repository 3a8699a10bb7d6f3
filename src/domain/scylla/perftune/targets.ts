import type { DiskFacts, HostFacts, NicFacts } from "./host-facts.ts";
import type { PerftuneOptions } from "./option/perftune-options.ts";
import type { PerftuneRefusal } from "./plan.ts";

/** The devices that a run tunes. */
export interface Targets {
  readonly type: "targets";
  /** Each once, in the order of the options. */
  readonly nics: readonly NicFacts[];
  readonly disks?: DiskFacts;
}

/** A device that the user names and that cannot be tuned fails the run before it changes anything. */
export function targetsOf(options: PerftuneOptions, facts: HostFacts): Targets | PerftuneRefusal {
  const disks = options.tune.includes("disks") ? disksOf(options, facts) : undefined;
  if (typeof disks === "string") return { type: "refused", problem: disks, exitCode: 1 };
  const nics = options.tune.includes("net") ? nicsOf(facts) : [];
  if (typeof nics === "string") return { type: "refused", problem: nics, exitCode: 1 };
  return { type: "targets", nics, ...(disks && { disks }) };
}

function disksOf({ directories, devices }: PerftuneOptions, { disks }: HostFacts): DiskFacts | string {
  if (directories.length === 0 && devices.length === 0)
    return "'disks' tuning was requested but neither directories nor devices were given: pass --dir or --dev";
  if (disks && disks.devices.length > 0) return disks;
  return `'disks' tuning was requested but no disks were found: ${(disks?.unresolved ?? []).join("; ")}`;
}

function nicsOf({ nics = [] }: HostFacts): NicFacts[] | string {
  const found = new Map<string, NicFacts>();
  for (const requested of nics) {
    const { type, name } = requested;
    if (type === "missing") return `--nic ${name}: this host has no such network interface`;
    if (type === "virtual" || requested.devices.length === 0)
      return `Not supported virtual device ${name}: no network card is behind it`;
    for (const device of requested.devices) found.set(device.name, device);
  }
  return [...found.values()];
}

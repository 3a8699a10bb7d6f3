import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import {
  defaultCoresPerIrqCore,
  defaultTcpMemFraction,
  type PerftuneComponent,
  type PerftuneOptions,
} from "../perftune/option/perftune-options.ts";
import { maskText } from "./interrupt-cpus.ts";
import type { TuningInputs } from "./tuning.ts";

/** The same run as with `perftuneArguments`, with paths as the node has them. */
export function perftuneOptions(inputs: TuningInputs): PerftuneOptions {
  const { purpose, directories, writeBackCache } = inputs;
  const cpus = cpusOf(inputs.irqCpus);
  const nics = inputs.interfaces.map(({ name }) => name);
  const devices = purpose === "return" ? inputs.devices : [];
  const isForDatabases = purpose === "databases";
  const tune: PerftuneComponent[] = [];
  if (directories.length + devices.length > 0) tune.push("disks");
  if (nics.length > 0) tune.push("net");
  if (isForDatabases) tune.push("system");
  return {
    tune,
    mode: "auto",
    nics,
    directories,
    devices,
    irqCpuMask: { text: maskText(cpus), cpus },
    coresPerIrqCore: defaultCoresPerIrqCore,
    tcpMemFraction: defaultTcpMemFraction,
    tuneClock: isForDatabases,
    ...(writeBackCache === undefined ? {} : { writeBackCache }),
  };
}

import { maskText } from "./interrupt-cpus.ts";
import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import type { TuningInputs } from "./tuning.ts";

/** Where a Job sees the root of its node. */
export const hostFolder = "/host";

/** Arguments of perftune, the same for both engines but for where directories are. */
export function perftuneArguments(inputs: TuningInputs): string[] {
  const { engine, irqCpus, interfaces, directories, devices, purpose, writeBackCache } = inputs;
  const disks = purpose === "return" ? devices : [];
  const args = ["--irq-cpu-mask", maskText(cpusOf(irqCpus))];
  if (interfaces.length > 0) args.push("--tune=net", ...interfaces.map(({ name }) => `--nic=${name}`));
  if (directories.length > 0 || disks.length > 0) args.push("--tune", "disks");
  // The script has no option for the root of the node.
  const root = engine === "perftune" ? hostFolder : "";
  for (const directory of directories) args.push("--dir", `${root}${directory}`);
  for (const device of disks) args.push("--dev", device);
  if (purpose === "databases") args.push("--tune=system", "--tune-clock");
  if (writeBackCache === false) args.push("--write-back-cache=false");
  return args;
}

/** The kubelet replaces `$(NAME)` in arguments of containers, and `$$` by `$`. */
export function escaped(argument: string): string {
  return argument.replaceAll("$", "$$$$");
}

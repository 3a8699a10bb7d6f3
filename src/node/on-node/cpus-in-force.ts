import type { CpusInForce } from "../../domain/node-tuning/api.ts";
import { plainPath, templatePath } from "../../domain/machine-config/kubelet-config/kubelet-files.ts";
import { runtimesPath } from "../../domain/performance-profile/machine-config/crio-runtimes.ts";
import { parseMask } from "../../language/cpu/cpu-mask.ts";
import { cpuSet, formatRanges } from "../../language/cpu/cpu-set.ts";
import { parseCpuset } from "../../language/cpu/kubernetes-cpuset.ts";
import type { Host } from "../host/host.ts";

/** Boot arguments with the CPUs that are kept free, the most certain first: a profile may leave the scheduler alone. */
const isolating = ["rcu_nocbs", "nohz_full", "isolcpus"];

/** How the CPUs of a node are divided now: by the running kernel, the kubelet and the container runtime. */
export async function cpusInForce(host: Pick<Host, "read">): Promise<CpusInForce> {
  const text = async (path: string): Promise<string | undefined> => {
    const file = await host.read(path);
    return file.type === "text" ? file.text : undefined;
  };
  const cmdline = await text("/proc/cmdline");
  // On plain hosts the first one has what KubeletConfigs set.
  const kubelet = (await text(plainPath)) ?? (await text(templatePath));
  const runtimes = (await text(runtimesPath)) ?? "";
  const affinity = parseMask((await text("/proc/irq/default_smp_affinity")) ?? "");
  return {
    ...(cmdline === undefined ? {} : named("isolated", isolatedBy(cmdline))),
    ...(kubelet === undefined
      ? {}
      : named("reserved", /(?:^|[{,])\s*"?reservedSystemCPUs"?\s*:\s*"?([\d,-]*)/m.exec(kubelet)?.[1] ?? "")),
    ...named("shared", /^shared_cpuset = "([^"]*)"/m.exec(runtimes)?.[1] ?? ""),
    ...(affinity.type === "cpus" ? { irq: formatRanges(affinity.cpus) } : {}),
  };
}

/** The kernel takes the last of several, and flags before the CPUs: `isolcpus=managed_irq,4-7`. */
function isolatedBy(cmdline: string): string {
  const words = cmdline.split(/\s+/);
  for (const name of isolating) {
    const last = words.findLast((word) => word.startsWith(`${name}=`));
    if (last !== undefined) return last.slice(name.length + 1).replace(/^(?:[a-z_]+,)+/, "");
  }
  return "";
}

/** Nothing where the text is no list of CPUs, such as `all`. */
function named(field: keyof CpusInForce, text: string): CpusInForce {
  const read = parseCpuset(text);
  return read.type === "cpus" ? { [field]: formatRanges(cpuSet(read.cpus)) } : {};
}

import { cpusOf } from "../../../../language/cpu/cpu-list.ts";
import { type CpuSet, cpuSet, formatRanges } from "../../../../language/cpu/cpu-set.ts";
import type { Host } from "../../../../node/host/host.ts";
import { type CpuManagerInput, startCpuManager } from "./cpu-manager.ts";

/** The CPUs of containers that have none of their own; undefined: any. */
export type ManagedCpus =
  | { readonly type: "managed"; readonly shared: CpuSet | undefined }
  | { readonly type: "failed"; readonly message: string };

const statePath = "/var/lib/kubelet/cpu_manager_state";

/** The state of the CPU manager outlives boots. A kubelet does not start with the state of another policy or other CPUs. */
export async function startManager(
  host: Pick<Host, "read" | "replace">,
  policy: string,
  input: Omit<CpuManagerInput, "stored">,
): Promise<ManagedCpus> {
  const advice = `drain the node and remove ${statePath}`;
  const content = await host.read(statePath);
  const known = content.type === "text" ? (JSON.parse(content.text) as CpuManagerState) : undefined;
  if (known && known.policyName !== policy)
    return failed(`policy is ${policy}, the state was written by ${known.policyName}: ${advice}`);
  // Without a configuration there is nothing that a later one could contradict.
  if (policy === "none") return { type: "managed", shared: undefined };
  if (policy !== "static") return failed(`unknown policy ${policy}`);
  const stored = known && { shared: cpusOf(known.defaultCpuSet ?? ""), assigned: assignedIn(known) };
  const start = startCpuManager({ ...input, stored });
  if (start.type === "failed") return failed(`${start.message}: ${advice}`);
  const { shared } = start;
  if (!known)
    await host.replace(statePath, JSON.stringify({ policyName: policy, defaultCpuSet: formatRanges(shared) }));
  return { type: "managed", shared };
}

interface CpuManagerState {
  readonly policyName?: string;
  readonly defaultCpuSet?: string;
  /** CPUs by pod and container. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function assignedIn({ entries = {} }: CpuManagerState): CpuSet {
  return cpuSet(Object.values(entries).flatMap((pod) => Object.values(pod).flatMap((cpus) => cpusOf(cpus))));
}

function failed(message: string): ManagedCpus {
  return { type: "failed", message };
}

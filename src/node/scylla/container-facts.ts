import { parseCpuset } from "../../language/cpu/kubernetes-cpuset.ts";
import type { CpuSet } from "../../language/cpu/cpu-set.ts";
import { bareId } from "../../domain/scylla/on-node/local-pod.ts";
import type { ContainerFacts } from "../../domain/scylla/on-node/node-facts.ts";
import type { Host } from "../host/host.ts";
import { cgroupCpus } from "./cgroup-cpus.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { dataDirectory } from "./data-directory.ts";

export interface ContainerInput {
  readonly host: Pick<Host, "read" | "list" | "real">;
  readonly runtime: ContainerRuntime;
  readonly podUid: string;
  /** As in the status of the pod. */
  readonly containerId: string;
  readonly signal?: AbortSignal | undefined;
}

/** CPUs and data of a database: from its container's OCI spec; where that has no CPUs, those of its cgroup. */
export async function containerFacts(input: ContainerInput): Promise<ContainerFacts> {
  const { host, runtime, podUid, containerId, signal } = input;
  const id = bareId(containerId);
  if (id === undefined)
    return { type: "absent", reason: `unsupported containerID format ${JSON.stringify(containerId)}` };
  const answer = await runtime.inspect(id, signal);
  if (answer.type === "failed") return { type: "unknown", reason: `ask the container runtime: ${answer.message}` };
  if (answer.type === "missing") return { type: "absent", reason: `the container runtime has no container ${id}` };
  const { container } = answer;
  if (container.podUid !== undefined && container.podUid !== podUid)
    return { type: "absent", reason: `container ${id} belongs to another pod` };
  const cpus = await cpusOf(container.cpus, { ...input, id, cgroupsPath: container.cgroupsPath });
  if (typeof cpus === "string") return { type: "unknown", reason: cpus };
  const data = await dataDirectory(host, container.mounts);
  return { type: "known", database: { cpus, directory: data?.directory, devices: data?.devices ?? [] } };
}

/** The CPUs, or why they are not known. */
async function cpusOf(
  inSpec: string | undefined,
  { host, podUid, id, cgroupsPath }: ContainerInput & { readonly id: string; readonly cgroupsPath: string | undefined },
): Promise<CpuSet | string> {
  const list = inSpec ? inSpec : await cgroupCpus({ host, podUid, id, cgroupsPath });
  if (list === undefined) return "can't find Scylla container cpuset: neither its OCI spec nor its cgroup has one";
  const parsed = parseCpuset(list.trim());
  return parsed.type === "cpus"
    ? parsed.cpus
    : `read the CPUs of container ${id}: ${JSON.stringify(parsed.item)} is no CPU`;
}

import type { Host } from "../host/host.ts";

type Reader = Pick<Host, "read" | "list">;

const mount = "/sys/fs/cgroup";
/** The hierarchies of CPU sets: version 1 has a folder for it, version 2 has one for everything. */
const hierarchies = [`${mount}/cpuset`, mount] as const;
/** Guaranteed pods are two or three levels below the root of all pods, which some distributions have in a slice of the kubelet. */
const deepest = 6;

export interface CgroupInput {
  readonly host: Reader;
  readonly podUid: string;
  /** Of the container, as its runtime knows it. */
  readonly id: string;
  /** `linux.cgroupsPath` of its OCI spec. */
  readonly cgroupsPath?: string | undefined;
}

/** The CPU list in the cgroup of a container, as the kernel has it; undefined if it is not found. An empty one is inherited. */
export async function cgroupCpus(input: CgroupInput): Promise<string | undefined> {
  const { host, id } = input;
  for (const hierarchy of hierarchies) {
    for (const path of likelyPaths(input)) {
      const cpus = await readCpus(host, `${hierarchy}/${path}`);
      if (cpus !== undefined) return cpus;
    }
  }
  for (const hierarchy of hierarchies) {
    const found = await find(host, { folder: hierarchy, id, depth: 0 });
    if (found !== undefined) return readCpus(host, found);
  }
  return undefined;
}

/** Where the runtimes put containers of Guaranteed pods, with the systemd driver and without. */
function likelyPaths({ podUid, id, cgroupsPath }: CgroupInput): string[] {
  const slice = `kubepods.slice/kubepods-pod${podUid.replaceAll("-", "_")}.slice`;
  return [
    `${slice}/docker-${id}.scope`,
    `${slice}/cri-containerd-${id}.scope`,
    `kubepods/pod${podUid}/${id}`,
    `${slice}/crio-${id}.scope`,
    // `slice:prefix:name` is a scope for systemd, and found by its name.
    ...(cgroupsPath?.startsWith("/") && !cgroupsPath.includes("..") ? [cgroupsPath.slice(1)] : []),
  ];
}

async function readCpus(host: Reader, folder: string): Promise<string | undefined> {
  const cpus = await host.read(`${folder}/cpuset.cpus`);
  const own = cpus.type === "text" ? cpus.text.trim() : undefined;
  if (own !== undefined && own !== "") return own;
  const effective = await host.read(`${folder}/cpuset.cpus.effective`);
  return effective.type === "text" ? effective.text.trim() : own;
}

interface Search {
  readonly folder: string;
  readonly id: string;
  readonly depth: number;
}

/** Static pods have another uid in their cgroup, and distributions other slices: the id of the container is in all of them. */
async function find(host: Reader, { folder, id, depth }: Search): Promise<string | undefined> {
  const names = await host.list(folder);
  const own = names.find((name) => name === id || name.endsWith(`-${id}.scope`) || name.endsWith(`-${id}`));
  if (own !== undefined) return `${folder}/${own}`;
  if (depth === deepest) return undefined;
  for (const name of names) {
    if (!/kube|^pod/.test(name)) continue;
    const found = await find(host, { folder: `${folder}/${name}`, id, depth: depth + 1 });
    if (found !== undefined) return found;
  }
  return undefined;
}

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dirname as above, relative } from "node:path/posix";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { CpuTopology } from "../../../../language/cpu/cpu-topology.ts";
import { topologyFiles } from "../../../../language/cpu/testing/topology-files.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { writeYaml } from "../../../../language/object/write-yaml.ts";
import type { ArchiveEntry } from "../../../../node/snapshot/archive-entry.ts";
import { writeTar } from "../../../../node/snapshot/write-tar.ts";

const run = promisify(execFile);

/** A cluster that support data is gathered from. */
export interface GatheredCluster {
  readonly nodes: readonly KubeObject[];
  readonly pools: readonly KubeObject[];
  readonly infrastructure?: KubeObject;
  /** By node. */
  readonly topologies: ReadonlyMap<string, CpuTopology>;
}

/** Who makes an archive: we, or the system's tar. */
export type Maker = "us" | "tar";

/** Writes what would have been gathered into a folder. */
export async function writeSupportData(folder: string, cluster: GatheredCluster, by: Maker = "us"): Promise<void> {
  const root = join(folder, "quay-io-image");
  const resources = "cluster-scoped-resources";
  const { nodes, pools, infrastructure, topologies } = cluster;
  for (const node of nodes) await place(root, `${resources}/core/nodes/${node.metadata.name}.yaml`, writeYaml(node));
  const poolFolder = `${resources}/machineconfiguration.openshift.io/machineconfigpools`;
  for (const pool of pools) await place(root, `${poolFolder}/${pool.metadata.name}.yaml`, `---\n${writeYaml(pool)}`);
  if (infrastructure)
    await place(root, `${resources}/config.openshift.io/infrastructures/cluster.yaml`, writeYaml(infrastructure));
  // Not to be taken for a snapshot.
  await place(root, "namespaces/default/nodes/other/sysinfo.tgz", "no archive");
  for (const [node, topology] of topologies)
    await place(root, `nodes/${node}/sysinfo.tgz`, await sysinfo(topology, by));
}

export async function place(root: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

/** A snapshot of a node. */
export async function sysinfo(topology: CpuTopology, by: Maker = "us"): Promise<Uint8Array> {
  const entries = entriesOf(topology);
  return by === "us" ? gzipSync(await writeTar(entries)) : systemTar(entries);
}

function entriesOf(topology: CpuTopology): ArchiveEntry[] {
  const { files, links } = topologyFiles(topology);
  files.set("/proc/sys/kernel/arch", "x86_64\n");
  return [
    ...[...files].map(([path, text]) => ({ type: "file" as const, path: path.slice(1), bytes: Buffer.from(text) })),
    ...[...links].map(([path, to]) => ({ type: "link" as const, path: path.slice(1), to: relative(above(path), to) })),
  ];
}

async function systemTar(entries: readonly ArchiveEntry[]): Promise<Uint8Array> {
  const dir = await mkdtemp(join(tmpdir(), "attune-sysinfo-"));
  try {
    for (const entry of entries) {
      if (entry.type === "file") await place(dir, entry.path, entry.bytes);
      if (entry.type !== "link") continue;
      await mkdir(dirname(join(dir, entry.path)), { recursive: true });
      await symlink(entry.to, join(dir, entry.path));
    }
    const { stdout } = await run("tar", ["-cz", "-C", dir, "proc", "sys"], { encoding: "buffer", maxBuffer: 2 ** 26 });
    return stdout;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dirname as above, relative } from "node:path/posix";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { topologyFiles, type TopologyFiles } from "../../src/cpu/testing/topology-files.ts";
import type { KubeObject } from "../../src/object/meta.ts";
import { writeYaml } from "../../src/object/yaml.ts";
import type { ArchiveEntry } from "../../src/snapshot/archive-entry.ts";
import { writeTar } from "../../src/snapshot/write-tar.ts";
import { clusters, type RecordedCluster, type RecordedNode, topologyOf } from "./recorded.ts";

const run = promisify(execFile);

/** Folders of support data, as they were gathered from the recorded clusters. */
export class MustGathers {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** `by`: whose archives are in them, ours or those of the system's tar. */
  static async build(by: "us" | "tar"): Promise<MustGathers> {
    const dir = await mkdtemp(join(tmpdir(), "attune-gather-"));
    for (const [name, cluster] of Object.entries(clusters)) await build(join(dir, name, "quay-io-image"), cluster, by);
    return new MustGathers(dir);
  }

  path(cluster: string): string {
    return join(this.dir, cluster);
  }

  /** One of them as an archive. */
  async packed(cluster: string): Promise<string> {
    const archive = join(this.dir, `${cluster}.tgz`);
    await run("tar", ["-czf", archive, "-C", this.dir, cluster]);
    return archive;
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

async function build(root: string, cluster: RecordedCluster, by: "us" | "tar"): Promise<void> {
  const place = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  const resources = "cluster-scoped-resources";
  const objects = objectsOf(cluster);
  await place(`${resources}/config.openshift.io/infrastructures/cluster.yaml`, writeYaml(objects.infrastructure));
  for (const pool of objects.pools)
    await place(
      `${resources}/machineconfiguration.openshift.io/machineconfigpools/${pool.metadata.name}.yaml`,
      `---\n${writeYaml(pool)}`,
    );
  for (const node of objects.nodes) await place(`${resources}/core/nodes/${node.metadata.name}.yaml`, writeYaml(node));
  // What is not to be mistaken for snapshots.
  await place("namespaces/default/nodes/other/sysinfo.tgz", "no archive");
  for (const node of cluster.nodes) await place(`nodes/${node.name}/sysinfo.tgz`, await sysinfo(node, by));
}

export function objectsOf(
  cluster: RecordedCluster,
): Record<"nodes" | "pools", KubeObject[]> & { infrastructure: KubeObject } {
  return {
    infrastructure: {
      apiVersion: "config.openshift.io/v1",
      kind: "Infrastructure",
      metadata: { name: "cluster" },
      status: { controlPlaneTopology: cluster.controlPlaneTopology },
    },
    pools: cluster.pools.map(({ name, labels, nodeSelector }) => ({
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfigPool",
      metadata: { name, labels },
      spec: {
        nodeSelector,
        machineConfigSelector: {
          matchExpressions: [
            { key: "machineconfiguration.openshift.io/role", operator: "In", values: ["worker", name] },
          ],
        },
      },
    })),
    nodes: cluster.nodes.map(({ name, labels, architecture, cpus }) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels },
      status: { capacity: { cpu: `${cpus}` }, nodeInfo: { architecture } },
    })),
  };
}

async function sysinfo(node: RecordedNode, by: "us" | "tar"): Promise<Uint8Array> {
  const files = topologyFiles(topologyOf(node));
  return by === "us" ? gzipSync(Buffer.concat([...writeTar(entriesOf(files))])) : systemTar(files);
}

export function entriesOf({ files, links }: TopologyFiles): ArchiveEntry[] {
  return [
    ...[...files].map(([path, text]) => ({ type: "file" as const, path: path.slice(1), bytes: Buffer.from(text) })),
    ...[...links].map(([path, to]) => ({ type: "link" as const, path: path.slice(1), to: relative(above(path), to) })),
  ];
}

async function systemTar(of: TopologyFiles): Promise<Uint8Array> {
  const dir = await mkdtemp(join(tmpdir(), "attune-sysinfo-"));
  try {
    for (const entry of entriesOf(of)) {
      const path = join(dir, entry.path);
      await mkdir(dirname(path), { recursive: true });
      if (entry.type === "file") await writeFile(path, entry.bytes);
      else if (entry.type === "link") await symlink(entry.to, path);
    }
    const { stdout } = await run("tar", ["-cz", "-C", dir, "proc", "sys"], { encoding: "buffer", maxBuffer: 2 ** 26 });
    return stdout;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

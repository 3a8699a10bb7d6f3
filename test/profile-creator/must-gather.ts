import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type GatheredCluster,
  type Maker,
  writeSupportData,
} from "../../src/program/cli/profile/testing/support-data.ts";
import { clusters, type RecordedCluster, topologyOf } from "./recorded.ts";

const run = promisify(execFile);

/** Folders of support data, as they were gathered from recorded clusters. */
export class MustGathers {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async build(names: readonly string[], by: Maker): Promise<MustGathers> {
    const dir = await mkdtemp(join(tmpdir(), "attune-gather-"));
    for (const name of names) await writeSupportData(join(dir, name), gatheredFrom(clusters[name]), by);
    return new MustGathers(dir);
  }

  path(cluster: string): string {
    return join(this.#dir, cluster);
  }

  /** One of them as an archive. */
  async packed(cluster: string): Promise<string> {
    const archive = join(this.#dir, `${cluster}.tgz`);
    await run("tar", ["-czf", archive, "-C", this.#dir, cluster]);
    return archive;
  }

  remove(): Promise<void> {
    return rm(this.#dir, { recursive: true, force: true });
  }
}

function gatheredFrom(cluster: RecordedCluster | undefined): GatheredCluster {
  const { controlPlaneTopology = "", pools = [], nodes = [] } = cluster ?? {};
  const role = "machineconfiguration.openshift.io/role";
  return {
    infrastructure: {
      apiVersion: "config.openshift.io/v1",
      kind: "Infrastructure",
      metadata: { name: "cluster" },
      status: { controlPlaneTopology },
    },
    pools: pools.map(({ name, labels, nodeSelector }) => ({
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfigPool",
      metadata: { name, labels },
      spec: {
        nodeSelector,
        machineConfigSelector: { matchExpressions: [{ key: role, operator: "In", values: ["worker", name] }] },
      },
    })),
    nodes: nodes.map(({ name, labels, architecture, cpus }) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels },
      status: { capacity: { cpu: `${cpus}` }, nodeInfo: { architecture } },
    })),
    topologies: new Map(nodes.map((node) => [node.name, topologyOf(node)])),
  };
}

import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { PerformanceProfile, PerformanceProfileSpec } from "../../src/domain/performance-profile/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { performanceProfileCrds } from "../../src/domain/performance-profile/crds.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { runAgent } from "../../src/program/agent/agent.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { type StartServer, type TestCluster, testCluster } from "../../src/program/cli/testing/test-cluster.ts";

const role = "machineconfiguration.openshift.io/role";
export const poolName = "worker-cnf";
export const nodeLabels = { "node-role.kubernetes.io/worker-cnf": "" };

export interface ProfileCluster extends TestCluster {
  readonly createPool: (name?: string) => Promise<void>;
  readonly createNode: (name: string, pool?: string) => Promise<void>;
}

interface ProfileClusterOptions {
  readonly pool?: boolean;
  /** Default: the embedded API server, in memory. */
  readonly start?: StartServer;
}

/** An embedded API server with all kinds, and the pool of the profile `lowLatency`. */
export async function profileCluster({ pool = true, start }: ProfileClusterOptions = {}): Promise<ProfileCluster> {
  const cluster = await testCluster([...machineConfigCrds, ...performanceProfileCrds], start);
  const { client } = cluster;
  const createPool = async (name = poolName): Promise<void> => {
    await client.create(machineConfigPoolKind, {
      apiVersion: machineConfigPoolKind.apiVersion,
      kind: "MachineConfigPool",
      metadata: { name, labels: { [role]: name } },
      spec: {
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
        machineConfigSelector: { matchLabels: { [role]: name } },
      },
    });
  };
  const createNode = async (name: string, of = poolName): Promise<void> => {
    const labels = { "kubernetes.io/os": "linux", [`node-role.kubernetes.io/${of}`]: "" };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
    const status = { capacity: { cpu: "4" }, nodeInfo: { architecture: "amd64" } };
    await client.patch(kinds.node, name, { type: "merge", patch: { status } }, { subresource: "status" });
  };
  if (pool) await createPool();
  return { ...cluster, createPool, createNode };
}

/** With nodes whose agents report boot arguments. */
export async function tunedCluster(
  nodes: readonly string[],
  start?: StartServer,
): Promise<ProfileCluster & { readonly agentsReport: () => Promise<void> }> {
  const cluster = await profileCluster(start ? { start } : {});
  const { client, signal, run } = cluster;
  const base = machineBase(smallMachine);
  for (const name of nodes) {
    await cluster.createNode(name);
    run(runAgent({ client, node: name, host: machine(base), signal }));
  }
  const agentsReport = async (): Promise<void> => {
    await eventually("agents report", async () => {
      const { items } = await client.list(profileKind, { namespace: tuningNamespace });
      return items.length === nodes.length && items.every(({ status }) => status?.bootcmdlineInputs !== undefined);
    });
  };
  return { ...cluster, agentsReport };
}

export function lowLatency(spec: PerformanceProfileSpec = {}, name = "low-latency"): PerformanceProfile {
  return {
    apiVersion: performanceProfileKind.apiVersion,
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { cpu: { reserved: "0", isolated: "1-3" }, nodeSelector: nodeLabels, ...spec },
  };
}

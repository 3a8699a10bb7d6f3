import type { Client } from "../../../../cluster/kube/client.ts";
import { createInformer } from "../../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import {
  clusterApiProvider,
  hasTemplate,
  machineDeploymentKind,
  machineKind,
  machineSetKind,
  templateAnnotation,
} from "../../../../domain/node-pool/cluster-api.ts";
import type { MachineProvider } from "../../../../domain/node-pool/machine-provider.ts";
import { machineGroups } from "./machine-groups.ts";
import { virtualMachines, type VirtualMachinesOptions } from "./virtual-machines.ts";

export interface ClusterApiOptions extends Omit<VirtualMachinesOptions, "machines" | "nodes"> {
  /** Of the hosted cluster. */
  readonly hosted: Client;
}

/** Plays Cluster API for the control plane of one hosted cluster, until the signal. */
export async function runClusterApi(options: ClusterApiOptions): Promise<void> {
  const { client, hosted, namespace, signal } = options;
  const machines = createInformer(client, machineKind, { namespace });
  const groups = [machineDeploymentKind, machineSetKind].map((kind) => createInformer(client, kind, { namespace }));
  const nodes = createInformer(hosted, kinds.node);
  const parts = [
    machines,
    nodes,
    ...groups,
    machineGroups({ ...options, machines, groups }),
    virtualMachines({ ...options, machines, nodes }),
  ];
  await Promise.all(parts.map((part) => part.run(signal)));
}

const template = "lab.attune.dev/v1/VirtualMachineTemplate/small";

/** Cluster API, where NodePools that replace their machines need not name a template: all virtual machines are alike. */
export const virtualMachineProvider: MachineProvider = {
  ...clusterApiProvider,
  plan(input) {
    const { metadata, spec } = input.nodePool;
    if (spec?.management?.upgradeType === "InPlace" || hasTemplate(input.nodePool))
      return clusterApiProvider.plan(input);
    const annotations = { ...metadata.annotations, [templateAnnotation]: template };
    return clusterApiProvider.plan({
      ...input,
      nodePool: { ...input.nodePool, metadata: { ...metadata, annotations } },
    });
  },
};

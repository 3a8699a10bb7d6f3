import { ifThere } from "../../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../../cluster/kube/cache.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { Controller, source } from "../../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import {
  type Machine,
  type MachineGroup,
  machineDeploymentKind,
  machineKind,
  machineSetKind,
} from "../../../../domain/node-pool/cluster-api.ts";
import { equal } from "../../../../language/object/json.ts";
import { decideMachines, type MachineState } from "./decide-machines.ts";

export interface MachineGroupsOptions {
  /** Of the management cluster. */
  readonly client: Client;
  /** Of the control plane. */
  readonly namespace: string;
  readonly groups: readonly Informer<MachineGroup>[];
  readonly machines: Informer<Machine>;
  readonly log: Log;
}

/** On a Machine: its virtual machine is taken away before it goes. */
export const machineFinalizer = "lab.attune.dev/virtual-machine";
const groupKinds = [machineDeploymentKind, machineSetKind];

/** Makes Machines of MachineDeployments and MachineSets, and replaces those of MachineDeployments. */
export function machineGroups({ client, namespace, groups, machines, log }: MachineGroupsOptions): Controller {
  return new Controller({
    name: "machine-groups",
    log,
    queue: { backoff: { maxMs: 5000 } },
    sources: [
      ...groups.map((cache) => source(cache, ({ object: { kind, metadata } }) => [`${kind}/${metadata.name}`])),
      source(machines, ({ object }) => groupOf(object)),
    ],
    async reconcile(key, { signal }) {
      const [kindName, name = ""] = key.split("/");
      const kind = groupKinds.find((one) => one.kind === kindName);
      const place = { namespace, signal };
      const group = kind && (await ifThere(client.get(kind, name, place)));
      if (!group || group.metadata.deletionTimestamp) return undefined;
      // Not from the cache: with old counts, more machines would leave than may.
      const { items } = await client.list(machineKind, place);
      const own = items.filter((machine) => groupOf(machine).includes(key));
      const decision = decideMachines(
        group,
        own.map((machine) => stateOf(machine, group)),
      );
      if (!equal(group.status, decision.status)) {
        const patch = { type: "merge", patch: { status: decision.status } } as const;
        await client.patch(kind, name, patch, { ...place, subresource: "status" });
      }
      if (group.metadata.annotations?.["cluster.x-k8s.io/paused"]) return undefined;
      for (const machine of decision.created) await client.create(machineKind, machineOf(group, machine), place);
      for (const machine of decision.deleted) await ifThere(client.delete(machineKind, machine, place));
      return undefined;
    },
  });
}

/** `Kind/name` of its owner. */
function groupOf({ metadata: { ownerReferences = [] } }: Machine): string[] {
  return ownerReferences.map(({ kind, name }) => `${kind}/${name}`);
}

function stateOf({ metadata, spec, status }: Machine, group: MachineGroup): MachineState {
  const wanted = group.spec?.template?.spec?.bootstrap?.dataSecretName;
  return {
    name: metadata.name ?? "",
    isCurrent: spec?.bootstrap?.dataSecretName === wanted,
    isAvailable: status?.phase === "Running",
    isLeaving: metadata.deletionTimestamp !== undefined,
  };
}

function machineOf({ apiVersion, kind, metadata, spec }: MachineGroup, name: string): Machine {
  const { metadata: { labels, annotations } = {}, spec: machine } = spec?.template ?? {};
  const owner = { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "", controller: true };
  return {
    apiVersion: machineKind.apiVersion,
    kind: machineKind.kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      finalizers: [machineFinalizer],
      ownerReferences: [owner],
    },
    ...(machine ? { spec: machine } : {}),
  };
}

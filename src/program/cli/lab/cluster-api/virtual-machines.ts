import { ifThere } from "../../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../../cluster/kube/cache.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { whenAborted } from "../../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import { nodePoolKeyIn } from "../../../../domain/node-pool/node-pool-caches.ts";
import { type Machine, machineKind } from "../../../../domain/node-pool/cluster-api.ts";
import { keys } from "../../../../domain/hosted/protocol.ts";
import type { Fleet } from "../../../../embedded/lab/kubelet/kubelets.ts";
import type { Node } from "../../../../embedded/lab/kubelet/node/node-object.ts";
import { VirtualNode } from "../../../../embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../../../embedded/lab/machine-base.ts";
import { isTrue } from "../../../../language/object/condition.ts";
import { equal } from "../../../../language/object/json.ts";
import { install } from "../first-boots.ts";
import { machineFinalizer } from "./machine-groups.ts";
import { tokenFileOf } from "./user-data.ts";

export interface VirtualMachinesOptions {
  /** Of the management cluster. */
  readonly client: Client;
  /** Of the control plane. */
  readonly namespace: string;
  readonly machines: Informer<Machine>;
  /** Of the hosted cluster. */
  readonly nodes: Informer<Node>;
  readonly fleet: Fleet;
  /** Virtual machines that run, by name. */
  readonly running: Map<string, VirtualNode>;
  /** Called before a machine starts whose kubelet has this name. */
  readonly admit: (node: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const base = machineBase(smallMachine);

/** A virtual machine for each Machine, whose Node has the same name. */
export function virtualMachines(options: VirtualMachinesOptions): Controller {
  const { client, namespace, machines, nodes, fleet, running, log } = options;
  return new Controller({
    name: "virtual-machines",
    log,
    concurrency: 10,
    queue: { backoff: { maxMs: 5000 } },
    sources: [
      source(machines, ({ object }) => [object.metadata.name ?? ""]),
      source(nodes, ({ object: { metadata } }) => (running.has(metadata.name ?? "") ? [metadata.name ?? ""] : [])),
    ],
    async reconcile(name, { signal }) {
      const machine = machines.get(`${namespace}/${name}`);
      const virtual = running.get(name);
      if (!machine || machine.metadata.deletionTimestamp) {
        if (virtual) await Promise.race([fleet.remove(virtual), whenAborted(options.signal)]);
        running.delete(name);
        if (machine) await release(machine, signal);
        return undefined;
      }
      if (!virtual) await start(name, machine, signal);
      await report(name, machine, signal);
      return undefined;
    },
  });

  async function start(name: string, machine: Machine, signal: AbortSignal): Promise<void> {
    const [nodePool = ""] = nodePoolKeyIn(machine);
    const labels = { "node-role.kubernetes.io/worker": "", [keys.nodePool]: nodePool.split("/")[1] ?? "" };
    const virtual = new VirtualNode({ name, topology: smallMachine, base, labels });
    await options.admit(name);
    signal.throwIfAborted();
    running.set(name, virtual);
    const secret = machine.spec?.bootstrap?.dataSecretName ?? "";
    void fleet
      .add(virtual, async () => {
        const file = tokenFileOf(await client.get(kinds.secret, secret, { namespace }), name);
        if (!file) throw new Error(`boot machine ${name}: Secret ${secret} names no server`);
        await install(virtual, file);
      })
      .catch((error: unknown) => log.error({ error, machine: name }, "start a virtual machine"));
  }

  async function report(name: string, { metadata, status }: Machine, signal: AbortSignal): Promise<void> {
    const node = nodes.get(name);
    const isReady = isTrue(node?.status?.conditions, "Ready");
    const wanted = node ? { nodeRef: { name }, phase: isReady ? "Running" : "Provisioned" } : { phase: "Provisioning" };
    if (equal(status, wanted)) return;
    const patch = { metadata: { uid: metadata.uid }, status: { nodeRef: null, ...wanted } };
    const place = { namespace, subresource: "status", signal };
    await ifThere(client.patch(machineKind, name, { type: "merge", patch }, place));
  }

  async function release(
    { metadata: { name = "", finalizers = [], uid } }: Machine,
    signal: AbortSignal,
  ): Promise<void> {
    const others = finalizers.filter((one) => one !== machineFinalizer);
    if (others.length === finalizers.length) return;
    const patch = { metadata: { uid, finalizers: others } };
    await ifThere(client.patch(machineKind, name, { type: "merge", patch }, { namespace, signal }));
  }
}

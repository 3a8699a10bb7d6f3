import { isAlreadyExists, isNotFound } from "../kube/api-error.ts";
import type { Client } from "../kube/client.ts";
import { kinds } from "../kube/kinds.ts";
import type { KubeObject } from "../object/meta.ts";
import { formatMicroTime, formatTime } from "../object/time.ts";
import { type Clock, pause, systemClock } from "../runtime/clock.ts";
import { type Log, noLog } from "../runtime/log.ts";
import type { Topology } from "./machine.ts";

export interface VirtualNodeOptions {
  client: Client;
  name: string;
  topology: Topology;
  labels?: Readonly<Record<string, string>>;
  /** Called once the Node is there. */
  onRegistered?: () => void;
  signal: AbortSignal;
  clock?: Clock;
  log?: Log;
}

const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;
const heartbeatMs = 10_000;

/** A kubelet's part without containers: a Node that is there, is Ready, and goes on saying so. */
export async function runVirtualNode(options: VirtualNodeOptions): Promise<void> {
  const { name, signal, clock = systemClock } = options;
  const log = (options.log ?? noLog).child({ node: name });
  let registered = false;
  while (!signal.aborted) {
    try {
      if (!registered) {
        await register(options, clock);
        registered = true;
        log.debug({}, "registered");
        options.onRegistered?.();
      }
      await renewLease(options, clock);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, "heartbeat failed, will try again");
    }
    await pause(clock, heartbeatMs, signal);
  }
}

/** A Node from an earlier run is taken over: its labels are added to and its status is ours. */
async function register({ client, name, topology, labels, signal }: VirtualNodeOptions, clock: Clock): Promise<void> {
  const node = nodeObject(name, topology, labels ?? {}, formatTime(clock.now()));
  try {
    await client.create(kinds.node, node, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.patch(
      kinds.node,
      name,
      { type: "merge", patch: { metadata: { labels: node.metadata.labels } } },
      { signal },
    );
  }
  await client.patch(
    kinds.node,
    name,
    { type: "merge", patch: { status: node["status"] } },
    { subresource: "status", signal },
  );
}

export function nodeObject(
  name: string,
  { cpus, memoryMiB, architecture, kernelRelease }: Topology,
  labels: Readonly<Record<string, string>>,
  now: string,
): KubeObject {
  const resources = { cpu: String(cpus), memory: `${memoryMiB}Mi`, pods: "110" };
  const condition = (type: string, status: "True" | "False", reason: string): object => ({
    type,
    status,
    reason,
    message: "",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": architecture,
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...labels,
      },
    },
    spec: {},
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID"),
        condition("Ready", "True", "KubeletReady"),
      ],
      nodeInfo: {
        machineID: name,
        systemUUID: name,
        bootID: name,
        kernelVersion: kernelRelease,
        osImage: "Attune virtual machine",
        containerRuntimeVersion: "attune://0",
        kubeletVersion: "v0.0.0-attune",
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture,
      },
    },
  };
}

async function renewLease({ client, name, signal }: VirtualNodeOptions, clock: Clock): Promise<void> {
  const options = { namespace: leaseNamespace, signal };
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(clock.now()) };
  const lease = {
    apiVersion: kinds.lease.apiVersion,
    kind: kinds.lease.kind,
    metadata: { name, namespace: leaseNamespace },
    spec,
  };
  try {
    await client.patch(kinds.lease, name, { type: "merge", patch: { spec } }, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(kinds.lease, lease, options);
  }
}

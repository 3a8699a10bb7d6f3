import type { GateDecision } from "../../domain/scylla/gate/decide-gate.ts";
import { timeoutAnnotation } from "../../domain/scylla/gate/gate-names.ts";
import type { Release } from "../../domain/scylla/gate/release.ts";
import { releaseName } from "../../domain/scylla/names.ts";

export interface OwnPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

type Waiting = GateDecision & { readonly type: "wait" };
type Opened = GateDecision & { readonly type: "open" };

/** The lines that say what a database waits for, and how it starts without. */
export function waitingLines(
  { namespace, uid }: OwnPod,
  waiting: Waiting,
  release: Release | undefined,
  now: number,
): string[] {
  const { containerId, since, until, foreignNode } = waiting;
  const waited = now - since < 1000 ? "" : ` for ${duration(now - since)}`;
  const place = `configmap ${releaseName(uid)} -n ${namespace}`;
  const create = `kubectl create ${place}`;
  return [
    containerId === undefined
      ? `waiting${waited}: the kubelet has not reported the database's container yet`
      : `waiting${waited}: ConfigMap ${namespace}/${releaseName(uid)} ${
          foreignNode !== undefined
            ? `was written by the agent of node ${foreignNode}, which is not this pod's: it does not count`
            : release
              ? `lets container ${release.containerId} start, and container ${containerId} took its place`
              : `does not exist yet; it lets container ${containerId} start when the node is tuned for it`
        }`,
    `to start the database without tuning: ${release ? `kubectl delete ${place} && ${create}` : create}`,
    until === undefined
      ? "waiting for ever: the pod sets no timeout"
      : `the database starts without tuning in ${duration(Math.max(0, until - now))}: annotation ${timeoutAnnotation}`,
  ];
}

export function openedLine({ because, opening }: Opened, release: Release | undefined): string {
  const container = opening.containerId === "" ? "" : ` in container ${opening.containerId}`;
  if (because === "timeout")
    return `WITHOUT TUNING: the database starts${container}, since the time of annotation ${timeoutAnnotation} is over`;
  const { outcome = "it is released without tuning", irqCpus } = release ?? {};
  return `the database starts${container}: ${outcome}${irqCpus ? `; interrupts are on CPUs ${irqCpus}` : ""}`;
}

/** `45s`, `12m`, `3h5m` */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

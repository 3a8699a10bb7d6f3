import { parseTime } from "../../../../language/object/time.ts";
import { isReady, readySince } from "../pods/pod-state.ts";
import type { Pod } from "../workload-objects.ts";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

interface Ranked {
  pod: Pod;
  unassigned: boolean;
  phase: number;
  ready: boolean;
  cost: number;
  /** Ready pods of the same workload on its node, this one included. */
  together: number;
  readyAge: number;
  restarts: readonly [containers: number, sidecars: number];
  age: number;
}

const phases: ReadonlyMap<string | undefined, number> = new Map([
  ["Pending", 0],
  ["Unknown", 1],
  ["Running", 2],
]);

/**
 * The pods in the order of their deletion, as kube-controller-manager ranks them. Ages are compared by powers of two, so
 * that pods of about the same age rank equal.
 */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[], now: number): Pod[] {
  const readyOn = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName;
    if (node && isReady(pod)) readyOn.set(node, (readyOn.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => rank(pod, readyOn, now))
    .toSorted(compare)
    .map(({ pod }) => pod);
}

function rank(pod: Pod, readyOn: ReadonlyMap<string, number>, now: number): Ranked {
  const node = pod.spec?.nodeName ?? "";
  const ready = isReady(pod);
  return {
    pod,
    unassigned: node === "",
    phase: phases.get(pod.status?.phase) ?? 0,
    ready,
    cost: deletionCost(pod),
    together: readyOn.get(node) ?? 0,
    readyAge: ready ? magnitude(now, readySince(pod)) : 0,
    restarts: restarts(pod),
    age: magnitude(now, parseTime(pod.metadata.creationTimestamp ?? "")),
  };
}

function compare(a: Ranked, b: Ranked): number {
  return (
    Number(b.unassigned) - Number(a.unassigned) ||
    a.phase - b.phase ||
    Number(a.ready) - Number(b.ready) ||
    a.cost - b.cost ||
    b.together - a.together ||
    a.readyAge - b.readyAge ||
    b.restarts[0] - a.restarts[0] ||
    b.restarts[1] - a.restarts[1] ||
    a.age - b.age ||
    byUid(a.pod, b.pod)
  );
}

function byUid(a: Pod, b: Pod): number {
  const { uid: left = "" } = a.metadata;
  const { uid: right = "" } = b.metadata;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The binary logarithm of an age; a pod without a time is the youngest. */
function magnitude(now: number, since: number | undefined): number {
  if (since === undefined) return -2;
  return now > since ? Math.floor(Math.log2((now - since) * 1e6)) : -1;
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? "0";
  const cost = Number(text);
  // As kube-controller-manager parses it: a 32-bit integer without plus sign or leading zeros, else 0.
  return Number.isInteger(cost) && String(cost) === text && Math.abs(cost) <= 2 ** 31 ? cost : 0;
}

function restarts({ spec, status }: Pod): readonly [number, number] {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const most = (counts: readonly number[]): number => Math.max(0, ...counts);
  return [
    most((status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    most(
      (status?.initContainerStatuses ?? [])
        .filter(({ name }) => sidecars.has(name))
        .map(({ restartCount }) => restartCount),
    ),
  ];
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

const condition = (name: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect,
});

/** What kube-controller-manager adds to the pods of every DaemonSet. */
const always = [
  condition("not-ready", "NoExecute"),
  condition("unreachable", "NoExecute"),
  condition("disk-pressure", "NoSchedule"),
  condition("memory-pressure", "NoSchedule"),
  condition("pid-pressure", "NoSchedule"),
  condition("unschedulable", "NoSchedule"),
];
const onHostNetwork = condition("network-unavailable", "NoSchedule");

/** The tolerations that the pods of a DaemonSet have: those of its template, and what kube-controller-manager adds. */
export function daemonTolerations(spec: {
  readonly tolerations?: readonly Toleration[];
  readonly hostNetwork?: boolean;
}): Toleration[] {
  const added = spec.hostNetwork ? [...always, onHostNetwork] : always;
  const own = (spec.tolerations ?? []).filter(
    ({ key, operator, effect }) =>
      !added.some((one) => one.key === key && one.operator === operator && one.effect === effect),
  );
  return [...own, ...added];
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return (toleration.value ?? "") === (taint.value ?? "") && Boolean(toleration.key);
}

/** The first taint with one of the effects that no toleration tolerates. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

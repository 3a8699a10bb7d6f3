/** kube-apiserver's groupPriorityMinimum of built-in groups. Higher ones are listed first: clients take the first match. */
const priorities: Readonly<Record<string, number>> = {
  "": 18000,
  // It has no APIService itself; kube-apiserver lists it at this position.
  "apiregistration.k8s.io": 17900,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "admissionregistration.k8s.io": 16700,
  "apiextensions.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "resource.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
};

export function priorityOf(group: string): number {
  return (Object.hasOwn(priorities, group) ? priorities[group] : undefined) ?? 1000;
}

/** Highest priority first; groups of custom resources, which all have the same, by name. */
export function compareGroups(a: string, b: string): number {
  return priorityOf(b) - priorityOf(a) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Built-in groups in the order a real server lists them; clients that look a kind up by name take the first match. */
const PRIORITY = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

const RANK = new Map(PRIORITY.map((group, index) => [group, index]));

/** Built-in groups first, in their own order; the groups of custom resources follow by name. */
export function compareGroups(a: string, b: string): number {
  const left = RANK.get(a) ?? PRIORITY.length;
  const right = RANK.get(b) ?? PRIORITY.length;
  return left - right || (a < b ? -1 : a > b ? 1 : 0);
}

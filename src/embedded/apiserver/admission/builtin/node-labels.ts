type Labels = Readonly<Record<string, string>>;

/** Labels in Kubernetes' domains that a kubelet may set on its own node. */
const own = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
]);

export function changedLabels(after: Labels = {}, before: Labels = {}): string[] {
  const differs = (key: string): boolean =>
    !Object.hasOwn(after, key) || !Object.hasOwn(before, key) || after[key] !== before[key];
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].filter(differs);
}

/** Labels that a node may not set, because it could attract workloads with them. */
export function isForbiddenToNodes(label: string): boolean {
  const slash = label.indexOf("/");
  const domain = slash < 0 ? "" : label.slice(0, slash);
  if (within(domain, "node-restriction.kubernetes.io")) return true;
  if (!within(domain, "kubernetes.io") && !within(domain, "k8s.io")) return false;
  return !own.has(label) && !within(domain, "kubelet.kubernetes.io") && !within(domain, "node.kubernetes.io");
}

const within = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

export type Change = (profile: { metadata: Record<string, unknown>; spec: Record<string, unknown> }) => void;

/** A profile for workers, as a file has it. */
export function profileText(name: string, change: Change = () => {}, version = "v2"): string {
  const object = {
    apiVersion: `performance.openshift.io/${version}`,
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { cpu: { isolated: "2-3", reserved: "0-1" }, nodeSelector: { "node-role.kubernetes.io/worker": "" } },
  };
  change(object);
  return JSON.stringify(object);
}

/** Names of the files that come of one. */
export function filesOf(name: string): string[] {
  return ["kubeletconfig", "machineconfig", "runtimeclass", "tuned"].map((kind) => `${name}_${kind}.yaml`);
}

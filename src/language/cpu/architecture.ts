/** Where Kubernetes and the kernel have different words. */
const names = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/** What Kubernetes calls an architecture that `uname -m` calls so. */
export function architectureOf(machine: string): string {
  return names.get(machine) ?? machine;
}

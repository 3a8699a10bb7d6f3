/** What a kind of machine is made of. */
export interface Topology {
  cpus: number;
  memoryMiB: number;
  architecture: "amd64" | "arm64";
  kernelRelease: string;
  /** Default 1. */
  sockets?: number;
  /** Default 1. */
  threadsPerCore?: number;
  /** Memory nodes, among which cores and memory are dealt out in blocks. Default: one for each socket. */
  numaNodes?: number;
  /** Huge pages that it starts with: how many by their size in KiB. */
  hugepages?: ReadonlyMap<number, number>;
}

import { pinningPaths } from "../../src/domain/workload-partitioning/pinning-files.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { partition } from "../servers/partitioned-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { startLabBeside } from "./lab-beside.ts";

/** The same lab in a cluster with CPU partitioning, whose webhook reviews pods and nodes. */
export async function startPartitionedLab(
  variant: "embedded" | "real",
  server: ServerUnderTest,
): Promise<() => Promise<void>> {
  const end = await partition(server, "standalone");
  const stopLab = await startLabBeside(variant, server, {
    topology: { ...smallMachine, runtime: "cri-o", kubelet: "openshift" },
    prepare: async (node) => void (await node.host.replace(pinningPaths.kubelet, "")),
  });
  return async () => {
    await stopLab();
    await end();
  };
}
